/** The messages a turn begins with. */
import type { ModelMessage } from '@bridlewise/shared/wire'
import type { Workspace } from '../../workspace/index.ts'
import { writeSystemPrompt } from '../system-prompt.ts'
import type { RunScope, TurnInput } from '../turn-types.ts'
import { filesOfInstructions, readInstructions, tellInstructions } from './instructions.ts'
import { outlineProject } from './project.ts'
import type { Reading } from './reading.ts'

export interface Place {
  readonly scope: RunScope
  readonly workspace: Workspace | null
  readonly reading: Reading
}

/**
 * Stable content first: system message, earlier turns, then what is new. One system message only,
 * which is what every endpoint takes.
 *
 * Contract: notes in `reading` which instruction files are in force.
 */
export async function firstMessages({ scope, workspace, reading }: Place, input: TurnInput): Promise<ModelMessage[]> {
  const { goal, promptSeq, task } = reading.input
  reading.instructions.push(...(await readInstructions(reading.input, workspace)))
  const instructions = tellInstructions(reading.instructions)
  reading.share = { instructions, goal: goal ?? '' }
  const isTold = workspace !== null && reading.input.projectInstructions === 'read'
  const outline = isTold ? await outlineProject(workspace) : null
  const { mode, project, child } = scope
  const system = writeSystemPrompt({ mode, project, child, outline: outline?.text ?? '', instructions, goal })
  const prompt: ModelMessage = { role: 'user', text: input.prompt, seq: promptSeq ?? undefined }
  const history = input.history.filter(({ role }) => role !== 'system')
  const quoted = [...(outline?.files ?? []), ...filesOfInstructions(reading.instructions)]
  return [{ role: 'system', text: system, instructions: quoted }, ...history, ...(task === 'answer' ? [prompt] : [])]
}
