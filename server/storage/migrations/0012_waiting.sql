CREATE TABLE `waiting_messages` (
	`number` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`userId` text NOT NULL,
	`chatId` text NOT NULL,
	`runId` text NOT NULL,
	`delivery` text NOT NULL,
	`mode` text NOT NULL,
	`providerId` text,
	`modelId` text,
	`text` blob NOT NULL,
	`held` text,
	`createdAt` integer NOT NULL,
	FOREIGN KEY (`chatId`) REFERENCES `chats`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `waiting_messages_id_unique` ON `waiting_messages` (`id`);--> statement-breakpoint
CREATE INDEX `waiting_messages_by_chat` ON `waiting_messages` (`chatId`,`number`);--> statement-breakpoint
ALTER TABLE `writer_leases` ADD `above` text DEFAULT '' NOT NULL;