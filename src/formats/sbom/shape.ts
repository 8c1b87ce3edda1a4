import { isObject } from '../json/safe-json.ts'

/** Told of each place that breaks a rule of the specification without making the inventory useless. */
export type Fault = (code: string, at: string, detail: string) => void

/**
 * What a value has to look like, and whether it does. `closed`: fields of another name are a fault. Places are only
 * worked out where somebody is to be told of them, for nearly every value is as it should be.
 */
export type Shape = (value: unknown, closed: boolean, report?: Report) => boolean
type Report = { readonly fault: Fault; readonly at: string }

export function checkShape(shape: Shape, value: unknown, closed: boolean, fault: Fault): void {
  if (!shape(value, closed)) shape(value, closed, { fault, at: '' })
}

const scalar =
  (isRight: (value: unknown) => boolean, detail: string): Shape =>
  (value, _closed, report) => {
    if (isRight(value)) return true
    report?.fault('invalid-field', report.at, detail)
    return false
  }

export const anything: Shape = () => true
export const text = scalar((value) => typeof value === 'string', 'is not text')
export const reference = scalar((value) => typeof value === 'string' && value !== '', 'is not a reference')
export const flag = scalar((value) => typeof value === 'boolean', 'is neither true nor false')
export const number = scalar((value) => typeof value === 'number', 'is not a number')
export const whole = scalar(Number.isInteger, 'is not a whole number')
export const record = scalar(isObject, 'is not an object')
export const time = scalar((value) => typeof value === 'string' && isTime(value), 'is not an RFC 3339 date and time')

export function isTime(value: string): boolean {
  return /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/.test(value)
}

export function oneOf(words: string): Shape {
  const known = new Set<unknown>(words.split(' '))
  return scalar((value) => known.has(value), 'is none of the allowed values')
}

const list = scalar(Array.isArray, 'is not an array')

export function listOf(item: Shape): Shape {
  return (value, closed, report) => {
    if (!Array.isArray(value)) return list(value, closed, report)
    let right = true
    for (let i = 0; i < value.length; i++) right = item(value[i], closed, below(report, String(i))) && right
    return right
  }
}

/** A list in older versions, something else in newer ones. */
export function listOr(items: Shape, other: Shape): Shape {
  return (value, ...rest) => (Array.isArray(value) ? items : other)(value, ...rest)
}

/** Fields by name; those that must be there have an exclamation mark behind it. */
export function object(fields: Readonly<Record<string, Shape>>): Shape {
  const shapes = new Map(Object.entries(fields).map(([name, shape]) => [name.replace('!', ''), shape]))
  const required = Object.keys(fields).flatMap((name) => (name.endsWith('!') ? name.slice(0, -1) : []))
  return (value, closed, report) => {
    if (!isObject(value)) return record(value, closed, report)
    let right = true
    for (const name of required) {
      if (value[name] !== undefined) continue
      right = false
      report?.fault('missing-field', report.at, `has no ${name}`)
    }
    for (const name of Object.keys(value)) {
      const shape = shapes.get(name)
      if (shape) right = (value[name] === undefined || shape(value[name], closed, below(report, name))) && right
      else if (closed) {
        right = false
        report?.fault('unknown-field', below(report, name)!.at, 'is not a field of the specification')
      }
    }
    return right
  }
}

function below(report: Report | undefined, name: string): Report | undefined {
  return report && { fault: report.fault, at: `${report.at}/${name.slice(0, 60)}` }
}
