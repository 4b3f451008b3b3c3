/** The messages a turn begins with. */
import type { ModelMessage } from '@bridlewise/shared/wire'
import { keepHead } from '../tools/index.ts'
import { viewText, type Workspace } from '../workspace/index.ts'
import { writeSystemPrompt } from './system-prompt.ts'
import type { RunScope, TurnInput } from './turn-types.ts'

const instructionsPath = 'AGENTS.md'
/** What a project may say about itself; more would crowd out the work. */
const instructionsLimit = { bytes: 16 * 1024, lines: 400 }

/**
 * Stable content first: system message, earlier turns, then what is new. One system message only,
 * which is what every endpoint takes.
 */
export async function assembleContext(
  { scope, workspace }: { readonly scope: RunScope; readonly workspace: Workspace | null },
  input: TurnInput,
): Promise<ModelMessage[]> {
  const instructions = workspace ? await readInstructions(workspace) : null
  return [
    { role: 'system', text: writeSystemPrompt({ mode: scope.mode, project: scope.project, instructions }) },
    ...input.history.filter(({ role }) => role !== 'system'),
    { role: 'user', text: input.prompt },
  ]
}

/** The project's instruction file, or null when there is none that may be shown. */
async function readInstructions(workspace: Workspace): Promise<string | null> {
  const admitted = await workspace.admit(instructionsPath)
  const content = admitted.ok ? await workspace.read(admitted.value) : admitted
  const view = content.ok ? viewText(content.value.bytes) : null
  if (!view || view.text.trim() === '') return null
  const { text, cut } = keepHead(view.text, instructionsLimit)
  return cut === null ? text : `${text}\n[${cut} left out; read_file ${instructionsPath} has them]`
}
