import { isDeepStrictEqual } from 'node:util'
import { toIso } from './clock.ts'
import { Problem } from './errors.ts'

/**
 * Lets a client send back what GET returned: those of `fields` that a body contains must have their current values. Fields in
 * `moving` are times that change by themselves, so an older time is accepted too.
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
		const older =
			moving.includes(name) &&
			value !== null &&
			Date.parse(String(value)) <= Date.parse(String(now.get(name)))
		if (same || older) continue
		const detail = 'is read-only and differs from its present value'
		throw new Problem('invalid_request', `body/${name}: ${detail}.`, {
			errors: [{ pointer: `/${name}`, code: 'read_only', detail }],
		})
	}
}

/** Clients that parse times write them back in another form: `.951000+00:00` for `.951Z`. */
function isSame(given: unknown, present: unknown): boolean {
	return isDeepStrictEqual(given, present) || isDeepStrictEqual(withOneForm(given), withOneForm(present))
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/

function withOneForm(value: unknown): unknown {
	if (typeof value === 'string') {
		const atMs = rfc3339.test(value) ? Date.parse(value) : Number.NaN
		return Number.isNaN(atMs) ? value : toIso(atMs)
	}
	if (Array.isArray(value)) return value.map(withOneForm)
	if (typeof value !== 'object' || value === null) return value
	return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withOneForm(each)]))
}
