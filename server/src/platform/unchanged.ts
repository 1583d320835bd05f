import { isDeepStrictEqual } from 'node:util'
import { toIso } from './clock.ts'
import { Problem } from './errors.ts'

/**
 * Lets a client send back what GET returned: those of `fields` that a body contains must have their current values. Fields in
 * `moving` change by themselves, so every value that they may have had is accepted; of two times that is the older one.
 */
export function refuseChanged(
	body: object,
	current: object,
	fields: readonly string[],
	moving: readonly string[] = [],
): void {
	const now = new Map(Object.entries(current))
	for (const [name, value] of Object.entries(body)) {
		const same = !fields.includes(name) || isSame(value, now.get(name))
		if (same || (moving.includes(name) && !isLater(value, now.get(name)))) continue
		const detail = 'is read-only and differs from its present value'
		throw new Problem('invalid_request', `body/${name}: ${detail}.`, {
			errors: [{ pointer: `/${name}`, code: 'read_only', detail }],
		})
	}
}

function isLater(given: unknown, present: unknown): boolean {
	return [given, present].every(isTime) && Date.parse(String(given)) > Date.parse(String(present))
}

/** Clients that parse times write them back in another form: `.951000+00:00` for `.951Z`. */
function isSame(given: unknown, present: unknown): boolean {
	return isDeepStrictEqual(given, present) || isDeepStrictEqual(withOneForm(given), withOneForm(present))
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/

function isTime(value: unknown): value is string {
	return typeof value === 'string' && rfc3339.test(value) && !Number.isNaN(Date.parse(value))
}

function withOneForm(value: unknown): unknown {
	if (isTime(value)) return toIso(Date.parse(value))
	if (Array.isArray(value)) return value.map(withOneForm)
	if (typeof value !== 'object' || value === null) return value
	return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withOneForm(each)]))
}
