CREATE TABLE `model_roles` (
	`userId` text NOT NULL,
	`place` text NOT NULL,
	`role` text NOT NULL,
	`providerId` text NOT NULL,
	`modelId` text NOT NULL,
	`projectId` text,
	`chatId` text,
	PRIMARY KEY(`userId`, `place`, `role`),
	FOREIGN KEY (`userId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`providerId`) REFERENCES `providers`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`projectId`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`chatId`) REFERENCES `chats`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `model_roles_by_provider` ON `model_roles` (`providerId`);--> statement-breakpoint
CREATE INDEX `model_roles_by_project` ON `model_roles` (`projectId`);--> statement-breakpoint
CREATE INDEX `model_roles_by_chat` ON `model_roles` (`chatId`);--> statement-breakpoint
ALTER TABLE `chats` ADD `titleFrom` text DEFAULT 'words' NOT NULL;