/** Numbers as words of a row: `1 line`, `214 lines`. */

export function count(many: number, one: string, several: string = `${one}s`): string {
  return `${many.toLocaleString('en')} ${many === 1 ? one : several}`
}
