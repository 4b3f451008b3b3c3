ALTER TABLE `keys` ADD `seals` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `keys` ADD `retiredAt` integer;