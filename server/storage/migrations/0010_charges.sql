CREATE TABLE `charges` (
	`number` integer PRIMARY KEY NOT NULL,
	`userId` text NOT NULL,
	`at` integer NOT NULL,
	`runId` text NOT NULL,
	`chatId` text NOT NULL,
	`projectId` text,
	`modelId` text NOT NULL,
	`inputTokens` integer NOT NULL,
	`cachedTokens` integer NOT NULL,
	`outputTokens` integer NOT NULL,
	`nanos` integer,
	`estimated` integer NOT NULL,
	`ms` integer NOT NULL,
	FOREIGN KEY (`userId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `charges_by_day` ON `charges` (`userId`,`at`);--> statement-breakpoint
CREATE INDEX `charges_by_run` ON `charges` (`runId`);--> statement-breakpoint
CREATE INDEX `charges_by_chat` ON `charges` (`chatId`);--> statement-breakpoint
CREATE INDEX `charges_by_project` ON `charges` (`projectId`);