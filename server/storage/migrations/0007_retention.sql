CREATE TABLE `bounds` (
	`name` text PRIMARY KEY NOT NULL,
	`value` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `remains` (
	`kind` text NOT NULL,
	`id` text NOT NULL,
	`upTo` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`kind`, `id`)
);
--> statement-breakpoint
CREATE TABLE `removed_results` (
	`ref` text PRIMARY KEY NOT NULL,
	`userId` text NOT NULL,
	`runId` text NOT NULL,
	`at` integer NOT NULL,
	FOREIGN KEY (`runId`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `removed_results_by_run` ON `removed_results` (`runId`);--> statement-breakpoint
PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_blobs` (
	`id` text PRIMARY KEY NOT NULL,
	`userId` text NOT NULL,
	`runId` text NOT NULL,
	`bytes` integer NOT NULL,
	`content` blob NOT NULL,
	`createdAt` integer NOT NULL
);
--> statement-breakpoint
INSERT INTO `__new_blobs`("id", "userId", "runId", "bytes", "content", "createdAt") SELECT "id", "userId", "runId", "bytes", "content", "createdAt" FROM `blobs`;--> statement-breakpoint
DROP TABLE `blobs`;--> statement-breakpoint
ALTER TABLE `__new_blobs` RENAME TO `blobs`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `blobs_by_run` ON `blobs` (`runId`);--> statement-breakpoint
CREATE INDEX `blobs_by_age` ON `blobs` (`userId`,`createdAt`,`bytes`);--> statement-breakpoint
CREATE TABLE `__new_frames` (
	`runId` text NOT NULL,
	`number` integer NOT NULL,
	`kind` text NOT NULL,
	`data` blob NOT NULL,
	PRIMARY KEY(`runId`, `number`)
);
--> statement-breakpoint
INSERT INTO `__new_frames`("runId", "number", "kind", "data") SELECT "runId", "number", "kind", "data" FROM `frames`;--> statement-breakpoint
DROP TABLE `frames`;--> statement-breakpoint
ALTER TABLE `__new_frames` RENAME TO `frames`;--> statement-breakpoint
CREATE TABLE `__new_messages` (
	`number` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`userId` text NOT NULL,
	`chatId` text NOT NULL,
	`runId` text NOT NULL,
	`role` text NOT NULL,
	`text` blob NOT NULL,
	`createdAt` integer NOT NULL
);
--> statement-breakpoint
INSERT INTO `__new_messages`("number", "id", "userId", "chatId", "runId", "role", "text", "createdAt") SELECT "number", "id", "userId", "chatId", "runId", "role", "text", "createdAt" FROM `messages`;--> statement-breakpoint
DROP TABLE `messages`;--> statement-breakpoint
ALTER TABLE `__new_messages` RENAME TO `messages`;--> statement-breakpoint
CREATE UNIQUE INDEX `messages_id_unique` ON `messages` (`id`);--> statement-breakpoint
CREATE INDEX `messages_by_chat` ON `messages` (`chatId`);--> statement-breakpoint
ALTER TABLE `runs` ADD `frameBytes` integer;--> statement-breakpoint
ALTER TABLE `runs` ADD `framesRemovedAt` integer;--> statement-breakpoint
CREATE INDEX `runs_by_stream` ON `runs` (`userId`,`endedAt`,`frameBytes`) WHERE framesRemovedAt is null and frameBytes > 0;--> statement-breakpoint
CREATE INDEX `runs_uncounted` ON `runs` (`id`) WHERE frameBytes is null and endedAt is not null;