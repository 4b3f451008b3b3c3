CREATE TABLE `acceptances` (
	`number` integer PRIMARY KEY NOT NULL,
	`policyDigest` text NOT NULL,
	`acceptedBy` text NOT NULL,
	`acceptedAt` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `access_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`userId` text NOT NULL,
	`name` text NOT NULL,
	`hash` blob NOT NULL,
	`createdAt` integer NOT NULL,
	`lastUsedAt` integer,
	`revokedAt` integer,
	FOREIGN KEY (`userId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `access_tokens_hash_unique` ON `access_tokens` (`hash`);--> statement-breakpoint
CREATE INDEX `access_tokens_by_user` ON `access_tokens` (`userId`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`userId` text NOT NULL,
	`cookieHash` blob NOT NULL,
	`tokenHash` blob NOT NULL,
	`createdAt` integer NOT NULL,
	`expiresAt` integer NOT NULL,
	FOREIGN KEY (`userId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_cookieHash_unique` ON `sessions` (`cookieHash`);--> statement-breakpoint
CREATE INDEX `sessions_by_expiry` ON `sessions` (`expiresAt`);--> statement-breakpoint
CREATE TABLE `settings` (
	`userId` text NOT NULL,
	`name` text NOT NULL,
	`value` blob NOT NULL,
	PRIMARY KEY(`userId`, `name`),
	FOREIGN KEY (`userId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`username` text NOT NULL,
	`nameKey` text NOT NULL,
	`role` text NOT NULL,
	`password` text NOT NULL,
	`createdAt` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_nameKey_unique` ON `users` (`nameKey`);--> statement-breakpoint
CREATE TABLE `beat_payloads` (
	`seq` integer PRIMARY KEY NOT NULL,
	`sealed` blob NOT NULL,
	FOREIGN KEY (`seq`) REFERENCES `beats`(`seq`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `beats` (
	`seq` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`kind` text NOT NULL,
	`userId` text NOT NULL,
	`runId` text,
	`chatId` text,
	`at` integer NOT NULL,
	`payloadDigest` text NOT NULL,
	`previous` text NOT NULL,
	`hash` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `beats_by_run` ON `beats` (`runId`) WHERE runId is not null;--> statement-breakpoint
CREATE INDEX `beats_by_chat` ON `beats` (`chatId`) WHERE chatId is not null;--> statement-breakpoint
CREATE TABLE `erasures` (
	`chatId` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `keys` (
	`id` text PRIMARY KEY NOT NULL,
	`createdAt` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `blobs` (
	`id` text PRIMARY KEY NOT NULL,
	`userId` text NOT NULL,
	`runId` text NOT NULL,
	`bytes` integer NOT NULL,
	`content` blob NOT NULL,
	`createdAt` integer NOT NULL,
	FOREIGN KEY (`userId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`runId`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `blobs_by_run` ON `blobs` (`runId`);--> statement-breakpoint
CREATE TABLE `frames` (
	`runId` text NOT NULL,
	`number` integer NOT NULL,
	`kind` text NOT NULL,
	`data` blob NOT NULL,
	PRIMARY KEY(`runId`, `number`),
	FOREIGN KEY (`runId`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `run_executions` (
	`runId` text PRIMARY KEY NOT NULL,
	`pid` integer NOT NULL,
	`bootId` text NOT NULL,
	`claimedAt` integer NOT NULL,
	`leaseUntil` integer NOT NULL,
	`endedAt` integer,
	FOREIGN KEY (`runId`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `runs` (
	`id` text PRIMARY KEY NOT NULL,
	`userId` text NOT NULL,
	`chatId` text NOT NULL,
	`projectId` text,
	`status` text NOT NULL,
	`mode` text NOT NULL,
	`providerId` text NOT NULL,
	`modelId` text NOT NULL,
	`modelLabel` text NOT NULL,
	`fixture` integer NOT NULL,
	`idempotencyKey` text,
	`bootId` text NOT NULL,
	`outcome` blob,
	`createdAt` integer NOT NULL,
	`startedAt` integer,
	`endedAt` integer,
	FOREIGN KEY (`userId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`chatId`) REFERENCES `chats`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`projectId`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `runs_once` ON `runs` (`userId`,`idempotencyKey`);--> statement-breakpoint
CREATE INDEX `runs_by_chat` ON `runs` (`chatId`,`id`);--> statement-breakpoint
CREATE INDEX `runs_by_user` ON `runs` (`userId`,`id`);--> statement-breakpoint
CREATE INDEX `runs_active` ON `runs` (`userId`) WHERE status in ('queued', 'running');--> statement-breakpoint
CREATE TABLE `writer_leases` (
	`root` text PRIMARY KEY NOT NULL,
	`runId` text NOT NULL,
	`bootId` text NOT NULL,
	`takenAt` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `chats` (
	`id` text PRIMARY KEY NOT NULL,
	`userId` text NOT NULL,
	`projectId` text,
	`title` blob NOT NULL,
	`createdAt` integer NOT NULL,
	`updatedAt` integer NOT NULL,
	FOREIGN KEY (`userId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`projectId`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `chats_by_use` ON `chats` (`userId`,`updatedAt`,`id`);--> statement-breakpoint
CREATE TABLE `idempotency` (
	`userId` text NOT NULL,
	`operation` text NOT NULL,
	`key` text NOT NULL,
	`digest` text NOT NULL,
	`bootId` text NOT NULL,
	`reply` blob,
	`createdAt` integer NOT NULL,
	PRIMARY KEY(`userId`, `operation`, `key`),
	FOREIGN KEY (`userId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `idempotency_by_age` ON `idempotency` (`createdAt`);--> statement-breakpoint
CREATE TABLE `messages` (
	`number` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`userId` text NOT NULL,
	`chatId` text NOT NULL,
	`runId` text NOT NULL,
	`role` text NOT NULL,
	`text` blob NOT NULL,
	`createdAt` integer NOT NULL,
	FOREIGN KEY (`userId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`chatId`) REFERENCES `chats`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `messages_id_unique` ON `messages` (`id`);--> statement-breakpoint
CREATE INDEX `messages_by_chat` ON `messages` (`chatId`);--> statement-breakpoint
CREATE TABLE `projects` (
	`id` text PRIMARY KEY NOT NULL,
	`userId` text NOT NULL,
	`name` text NOT NULL,
	`path` text NOT NULL,
	`device` text NOT NULL,
	`inode` text NOT NULL,
	`demo` integer NOT NULL,
	`createdAt` integer NOT NULL,
	FOREIGN KEY (`userId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `projects_once` ON `projects` (`userId`,`path`,`device`,`inode`);--> statement-breakpoint
CREATE TABLE `providers` (
	`id` text PRIMARY KEY NOT NULL,
	`userId` text NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`baseUrl` blob NOT NULL,
	`apiKey` blob,
	`models` text NOT NULL,
	`createdAt` integer NOT NULL,
	FOREIGN KEY (`userId`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `providers_by_user` ON `providers` (`userId`);