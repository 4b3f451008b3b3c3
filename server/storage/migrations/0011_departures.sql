CREATE TABLE `departed_texts` (
	`number` integer PRIMARY KEY NOT NULL,
	`userId` text NOT NULL,
	`chatId` text NOT NULL,
	`name` text NOT NULL,
	`content` blob NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `departed_texts_once` ON `departed_texts` (`chatId`,`name`);--> statement-breakpoint
CREATE INDEX `departed_texts_by_user` ON `departed_texts` (`userId`,`number`);--> statement-breakpoint
CREATE TABLE `departures` (
	`number` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`userId` text NOT NULL,
	`chatId` text NOT NULL,
	`runId` text NOT NULL,
	`step` integer NOT NULL,
	`at` integer NOT NULL,
	`manifest` blob NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `departures_id_unique` ON `departures` (`id`);--> statement-breakpoint
CREATE INDEX `departures_by_run` ON `departures` (`runId`,`number`);--> statement-breakpoint
CREATE INDEX `departures_by_chat` ON `departures` (`chatId`);--> statement-breakpoint
CREATE TABLE `egress_rules` (
	`id` text PRIMARY KEY NOT NULL,
	`userId` text NOT NULL,
	`projectId` text,
	`rule` blob NOT NULL,
	`createdAt` integer NOT NULL,
	FOREIGN KEY (`userId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`projectId`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `egress_rules_by_user` ON `egress_rules` (`userId`);--> statement-breakpoint
CREATE INDEX `egress_rules_by_project` ON `egress_rules` (`projectId`);