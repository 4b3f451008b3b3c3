/** Where the built guardian lies. */
import { fileURLToPath } from 'node:url'

/** Absolute path of the program that `build.ts` makes; it may not exist yet. */
export const guardianBinary: string = fileURLToPath(new URL('./build/guardian', import.meta.url))

/** What a person does when it is missing for want of a compiler. */
export const compilerRemedy = 'apt-get install gcc libc6-dev'
