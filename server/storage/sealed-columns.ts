/**
 * Every sealed column there is: what a walk over all sealed values goes by.
 *
 * A column that is missing here would keep its old key for ever, and a test fails: each column of
 * bytes in the schema is either a digest or stands in this list.
 */
import { beatBody } from './beat-body.ts'
import { blobContent } from './repositories/blobs.ts'
import { changeJournal } from './repositories/changes.ts'
import { chatTitle } from './repositories/chats.ts'
import { departedText, departureManifest } from './repositories/departures.ts'
import { egressRule } from './repositories/egress-rules.ts'
import { frameData } from './repositories/frames.ts'
import { keptReply } from './repositories/idempotency.ts'
import { installationValue } from './repositories/installation.ts'
import { messageText } from './repositories/messages.ts'
import { providerColumns } from './repositories/providers.ts'
import { rewindJournal } from './repositories/rewinds.ts'
import { runOutcome } from './repositories/runs.ts'
import { securityEventDetail } from './repositories/security-events.ts'
import { settingValue } from './repositories/settings.ts'
import { versionContent } from './repositories/versions.ts'
import { waitingText } from './repositories/waiting.ts'
import type { SealedColumn } from './sealed-column.ts'

export const sealedColumns: readonly SealedColumn[] = [
  providerColumns.apiKey,
  providerColumns.baseUrl,
  settingValue,
  installationValue,
  chatTitle,
  messageText,
  waitingText,
  runOutcome,
  keptReply,
  blobContent,
  versionContent,
  rewindJournal,
  changeJournal,
  beatBody,
  frameData,
  securityEventDetail,
  departureManifest,
  departedText,
  egressRule,
]
