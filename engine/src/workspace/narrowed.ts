/** A workspace in which only some paths may be changed. What may be read stays as it is. */
import { ok, type Result, refuse } from '@bridlewise/shared/refusals'
import type { Workspace } from './workspace.ts'

/**
 * Narrow what may be changed to `paths` and what lies below them; `.` leaves it as it is, none forbids all.
 *
 * Contract: the result allows nothing that `workspace` does not. Paths are compared in their normal form,
 * and links are followed at no hop, so no other spelling leads out of them.
 * Refuses: path_invalid, path_outside_project, path_not_given.
 */
export function narrowWrites(workspace: Workspace, paths: readonly string[]): Result<Workspace> {
  const given: string[] = []
  for (const path of paths) {
    const resolved = workspace.resolve(path)
    if (!resolved.ok) return resolved
    if (workspace.writable !== null && !liesIn(workspace.writable, resolved.value)) return refuseWrite(workspace.writable, path)
    given.push(resolved.value)
  }
  if (given.includes('.')) return ok(workspace)
  return ok({
    root: workspace.root,
    writable: given,
    resolve: (path) => workspace.resolve(path),
    read: (path, limit) => workspace.read(path, limit),
    list: (path) => workspace.list(path),
    walk: (request, signal) => workspace.walk(request, signal),
    admit: (path) => workspace.admit(path),
    isControlFile: (path) => workspace.isControlFile(path),
    async stage(grant, request) {
      const resolved = workspace.resolve(request.path)
      if (resolved.ok && !liesIn(given, resolved.value)) return refuseWrite(given, resolved.value)
      return workspace.stage(grant, request)
    },
    clearStaged: (grant, left) => workspace.clearStaged(grant, left),
  })
}

/** Whether a normal path is one of `paths` or lies below one: `lib2` is not below `lib`. */
export function liesIn(paths: readonly string[], path: string): boolean {
  return paths.some((given) => given === '.' || path === given || path.startsWith(`${given}/`))
}

function refuseWrite(given: readonly string[], path: string) {
  return refuse('path_not_given', { path, given: given.length === 0 ? 'none' : given.join(', ') })
}
