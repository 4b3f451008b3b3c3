/** Every capability there is. Routes, schema, client, reference and screens are projected from this list. */
import { defineModule } from '../define/index.ts'
import { account } from './account.ts'
import { audit } from './audit.ts'
import { budget } from './budget.ts'
import { chat } from './chat.ts'
import { context } from './context.ts'
import { diagnostics } from './diagnostics.ts'
import { egress } from './egress.ts'
import { health } from './health.ts'
import { lock } from './lock.ts'
import { network } from './network.ts'
import { posture } from './posture.ts'
import { project } from './project.ts'
import { provider } from './provider.ts'
import { redaction } from './redaction.ts'
import { role } from './role.ts'
import { run } from './run.ts'
import { storage } from './storage.ts'
import { timeline } from './timeline.ts'
import { tool } from './tool.ts'
import { ui } from './ui.ts'
import { user } from './user.ts'

export const blocks = defineModule([
  health,
  lock,
  account,
  user,
  project,
  provider,
  role,
  chat,
  context,
  run,
  tool,
  timeline,
  egress,
  redaction,
  audit,
  budget,
  storage,
  network,
  posture,
  diagnostics,
  ui,
])

export { type User, userSchema } from './account.ts'
export { type ChatSpend, chatSpendSchema } from './budget.ts'
export { type Chat, chatSchema, type Message, messageSchema } from './chat.ts'
export { type ChatContext, chatContextSchema } from './context.ts'
export { type KeptRule, keptRuleSchema, type SentHit, sentHitSchema } from './egress.ts'
export { type LimitLine, type PostureLine, postureLineSchema } from './posture.ts'
export { type Project, type ProjectShare, projectSchema, projectShareSchema } from './project.ts'
export { type Preset, type Provider, presetSchema, providerSchema } from './provider.ts'
export { type OwnRedaction, ownRedactionSchema } from './redaction.ts'
export { type RoleLine, roleLineSchema } from './role.ts'
export { type ToolEntry, toolSchema } from './tool.ts'
export { type ServedBlock, type ServedOperation, servedBlockSchema, servedOperationSchema } from './ui.ts'
export {
  account,
  audit,
  budget,
  chat,
  context,
  diagnostics,
  egress,
  health,
  lock,
  network,
  posture,
  project,
  provider,
  redaction,
  role,
  run,
  storage,
  timeline,
  tool,
  ui,
  user,
}
