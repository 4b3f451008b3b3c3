PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_departures` (
	`number` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`userId` text NOT NULL,
	`chatId` text,
	`runId` text,
	`step` integer NOT NULL,
	`at` integer NOT NULL,
	`manifest` blob NOT NULL
);
--> statement-breakpoint
INSERT INTO `__new_departures`("number", "id", "userId", "chatId", "runId", "step", "at", "manifest") SELECT "number", "id", "userId", "chatId", "runId", "step", "at", "manifest" FROM `departures`;--> statement-breakpoint
DROP TABLE `departures`;--> statement-breakpoint
ALTER TABLE `__new_departures` RENAME TO `departures`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE UNIQUE INDEX `departures_id_unique` ON `departures` (`id`);--> statement-breakpoint
CREATE INDEX `departures_by_run` ON `departures` (`runId`,`number`);--> statement-breakpoint
CREATE INDEX `departures_by_chat` ON `departures` (`chatId`);--> statement-breakpoint
CREATE INDEX `departures_of_probes` ON `departures` (`userId`,`number`) WHERE chatId is null;