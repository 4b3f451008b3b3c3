/** Inputs made from the declarations of operations, so that a test which walks all of them meets a new one by itself. */
import { type Block, blocks, type Operation, operationPath, pathParameters } from '@bridlewise/shared'
import { z } from 'zod'

export interface Declared {
  /** `chat.rename`. */
  readonly label: string
  readonly operation: Operation
  /** Below `/api/`, parameters still named. */
  readonly path: string
  /** Dotted places of its input that name a thing: `chatId`, `model.providerId`. */
  readonly idPlaces: readonly string[]
}

type Values = Record<string, unknown>

interface Shape {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
  readonly oneOf?: readonly Shape[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly minLength?: number
  readonly minItems?: number
  readonly minimum?: number
}

export const declared: readonly Declared[] = blocks.flatMap((block: Block) =>
  Object.entries(block.operations).map(([name, operation]) => ({
    label: `${block.id}.${name}`,
    operation,
    path: operationPath(block, operation).replace('/api/', ''),
    idPlaces: placesOf(shapeOf(operation), '').filter(isIdLike),
  })),
)

/** Dotted places of the objects that an input holds, the input itself (`''`) first. */
export function objectPlaces(operation: Operation): string[] {
  const shape = shapeOf(operation)
  return ['', ...placesOf(shape, '').filter((place) => at(shape, place)?.properties !== undefined)]
}

/** The smallest input that fits, with the objects that stand on the way to `places`. */
export function smallestInput(operation: Operation, places: readonly string[] = []): Values {
  return fill(shapeOf(operation), places) as Values
}

/** Put a value at a dotted place; the objects on the way are there already. */
export function setAt(input: Values, place: string, value: unknown): void {
  const names = place.split('.')
  const last = names.pop() as string
  let target = input
  for (const name of names) target = target[name] as Values
  target[last] = value
}

/** What goes over the wire: the path with its parameters, and the rest as query or body. */
export function toRequest({ operation, path }: Declared, input: Values): { readonly path: string; readonly body?: Values } {
  const inPath = new Set(pathParameters(operation.path))
  const filled = path.replaceAll(/:([A-Za-z]+)/g, (_, name: string) => encodeURIComponent(String(input[name])))
  const rest = Object.entries(input).filter(([name]) => !inPath.has(name))
  if (operation.kind === 'command') return { path: filled, body: Object.fromEntries(rest) }
  const query = new URLSearchParams(rest.map(([name, value]) => [name, String(value)]))
  return { path: query.size > 0 ? `${filled}?${query}` : filled }
}

/** By the name alone: what ends in `Id` or `Ref` names a row of somebody. A model's name is its provider's business. */
function isIdLike(place: string): boolean {
  const name = place.split('.').at(-1) ?? ''
  return /(Id|Ref|^ref)$/.test(name) && name !== 'modelId'
}

function shapeOf(operation: Operation): Shape {
  return z.toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' }) as Shape
}

function placesOf(shape: Shape, before: string): string[] {
  return Object.entries(shape.properties ?? {}).flatMap(([name, inner]) => {
    const place = before === '' ? name : `${before}.${name}`
    return [place, ...placesOf(inner, place)]
  })
}

function at(shape: Shape, place: string): Shape | undefined {
  return place.split('.').reduce<Shape | undefined>((found, name) => found?.properties?.[name], shape)
}

function fill(shape: Shape, places: readonly string[]): unknown {
  if (shape.const !== undefined) return shape.const
  if (shape.enum) return shape.enum[0]
  const [choice] = shape.anyOf ?? shape.oneOf ?? []
  if (choice) return fill(choice, places)
  switch (shape.type) {
    case 'object': {
      const wanted = Object.entries(shape.properties ?? {}).filter(
        ([name]) => shape.required?.includes(name) || places.some((place) => place.split('.')[0] === name),
      )
      const below = (name: string) =>
        places.filter((place) => place.startsWith(`${name}.`)).map((place) => place.slice(name.length + 1))
      return Object.fromEntries(wanted.map(([name, inner]) => [name, fill(inner, below(name))]))
    }
    case 'array':
      return Array.from({ length: shape.minItems ?? 0 }, () => fill(shape.items ?? {}, []))
    case 'integer':
    case 'number':
      return shape.minimum ?? 1
    case 'boolean':
      return false
    default:
      return 'something'.padEnd(shape.minLength ?? 0, 'x')
  }
}
