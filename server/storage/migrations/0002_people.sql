CREATE TABLE `account_codes` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`hash` blob NOT NULL,
	`madeBy` text NOT NULL,
	`role` text,
	`userId` text,
	`createdAt` integer NOT NULL,
	`expiresAt` integer NOT NULL,
	FOREIGN KEY (`madeBy`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`userId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `account_codes_hash_unique` ON `account_codes` (`hash`);--> statement-breakpoint
CREATE INDEX `account_codes_by_maker` ON `account_codes` (`madeBy`);--> statement-breakpoint
CREATE INDEX `account_codes_by_user` ON `account_codes` (`userId`);--> statement-breakpoint
ALTER TABLE `access_tokens` ADD `blocks` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `lastUsedAt` integer;--> statement-breakpoint
CREATE INDEX `sessions_by_user` ON `sessions` (`userId`);--> statement-breakpoint
ALTER TABLE `users` ADD `epoch` integer DEFAULT 0 NOT NULL;