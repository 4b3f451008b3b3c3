CREATE TABLE `project_shares` (
	`id` text PRIMARY KEY NOT NULL,
	`projectId` text NOT NULL,
	`username` text NOT NULL,
	`nameKey` text NOT NULL,
	`userId` text,
	`createdAt` integer NOT NULL,
	FOREIGN KEY (`projectId`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`userId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `project_shares_once` ON `project_shares` (`projectId`,`nameKey`);--> statement-breakpoint
CREATE INDEX `project_shares_by_user` ON `project_shares` (`userId`,`projectId`);--> statement-breakpoint
CREATE INDEX `runs_by_project` ON `runs` (`projectId`);--> statement-breakpoint
CREATE INDEX `chats_by_project` ON `chats` (`projectId`);