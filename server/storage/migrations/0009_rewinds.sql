CREATE TABLE `rewinds` (
	`id` text PRIMARY KEY NOT NULL,
	`userId` text NOT NULL,
	`chatId` text NOT NULL,
	`mode` text,
	`seq` integer,
	`to` integer,
	`retracts` integer,
	`restored` integer,
	`removed` integer,
	`kept` integer,
	`journal` blob,
	`at` integer NOT NULL,
	FOREIGN KEY (`chatId`) REFERENCES `chats`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `rewinds_by_chat` ON `rewinds` (`chatId`,`seq`);--> statement-breakpoint
CREATE INDEX `rewinds_unfinished` ON `rewinds` (`id`) WHERE journal is not null;--> statement-breakpoint
CREATE TABLE `versions` (
	`id` text PRIMARY KEY NOT NULL,
	`userId` text NOT NULL,
	`chatId` text NOT NULL,
	`name` text NOT NULL,
	`bytes` integer NOT NULL,
	`content` blob NOT NULL,
	`createdAt` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `versions_once` ON `versions` (`chatId`,`name`);--> statement-breakpoint
CREATE INDEX `versions_by_age` ON `versions` (`userId`,`createdAt`,`bytes`);