/** The tools that are built in, in the order the model sees them. */
import type { Tool } from '../definition.ts'
import { delegateTool } from './delegate.ts'
import { editTool } from './edit.ts'
import { executeCommandTool } from './execute-command.ts'
import { findFilesTool } from './find-files.ts'
import { gitCommitTool } from './git-commit.ts'
import { gitDiffTool } from './git-diff.ts'
import { gitLogTool } from './git-log.ts'
import { gitStatusTool } from './git-status.ts'
import { listFilesTool } from './list-files.ts'
import { readFileTool } from './read-file.ts'
import { searchTextTool } from './search-text.ts'

export const builtinTools: readonly Tool[] = [
  readFileTool,
  listFilesTool,
  findFilesTool,
  searchTextTool,
  editTool,
  executeCommandTool,
  gitStatusTool,
  gitDiffTool,
  gitLogTool,
  gitCommitTool,
  delegateTool,
]
