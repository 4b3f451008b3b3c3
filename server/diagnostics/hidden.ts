/** What tells of a machine and of its people: where things lie, what the host is called, and the names that are stored. */
import { realpathSync } from 'node:fs'
import type { StoredNames } from '../storage/index.ts'
import type { Hidden } from './hide.ts'

export interface Machine {
  readonly hostName: string
  /** Of the account that the server runs as. */
  readonly accountName: string
  readonly userHome: string
  readonly homes: { readonly data: string; readonly keys: string; readonly demo: string }
  readonly temporary: string
  /** Where the program lies. */
  readonly product: string
}

export function listHidden(machine: Machine, names: StoredNames): readonly Hidden[] {
  return [
    ...places('<data home>', machine.homes.data),
    ...places('<key home>', machine.homes.keys),
    ...places('<demo home>', machine.homes.demo),
    ...places('<product>', machine.product),
    ...places('<home>', machine.userHome),
    ...places('<temporary>', machine.temporary),
    ...names.projects.flatMap(({ path }, at) => places(`<path of project ${at + 1}>`, path)),
    ...names.users.map((name, at) => word(`<user ${at + 1}>`, name)),
    ...names.projects.map(({ name }, at) => word(`<project ${at + 1}>`, name)),
    ...names.providers.map((name, at) => word(`<provider ${at + 1}>`, name)),
    ...hostNames(machine.hostName).map((name) => word('<host>', name)),
    word('<account>', machine.accountName),
  ]
}

/** As it was given, and with its links resolved. */
function places(stand: string, path: string): Hidden[] {
  return [...new Set([path, realPath(path)])].filter((text) => text !== '/').map((text) => ({ text, stand, as: 'path' }))
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // It need not exist (yet, or any more).
    return path
  }
}

/** With and without its domain. Every machine is called localhost, so that name says nothing. */
function hostNames(name: string): readonly string[] {
  return [...new Set([name, name.split('.')[0] ?? ''])].filter((one) => one !== '' && one !== 'localhost')
}

function word(stand: string, text: string): Hidden {
  return { text, stand, as: 'word' }
}
