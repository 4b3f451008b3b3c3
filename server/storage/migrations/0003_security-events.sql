CREATE TABLE `security_events` (
	`number` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`minute` integer NOT NULL,
	`userId` text,
	`detail` blob NOT NULL
);
--> statement-breakpoint
CREATE INDEX `security_events_by_kind` ON `security_events` (`kind`,`number`);