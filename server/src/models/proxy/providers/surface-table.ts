import type { Surface } from './provider.ts'

/** Finds the meaning of a path; null for a path that is not in the table. */
export type SurfaceOf = (method: string, path: string) => Surface | null

const parts: Record<string, string> = {
	object: '(?<object>[A-Za-z0-9_-]+)',
	/** The id of a part of such an object. */
	id: '[A-Za-z0-9_-]+',
	model: '(?<model>[^/]+)',
	rest: '.+',
}

/**
 * Prepares a table of `METHOD path` for lookups. `{model}` and `{object}` are captured, `{rest}` matches anything. HEAD is looked
 * up as GET.
 */
export function surfaceTable(table: Readonly<Record<string, Surface>>): SurfaceOf {
	const exact = new Map<string, Surface>()
	const patterns: [RegExp, Surface][] = []
	for (const [line, surface] of Object.entries(table)) {
		if (line.includes('{')) patterns.push([patternOf(line), surface])
		else exact.set(line, surface)
	}
	return (method, path) => {
		const asked = `${method === 'HEAD' ? 'GET' : method} ${path}`
		const known = exact.get(asked)
		if (known) return known
		for (const [pattern, surface] of patterns) {
			const found = pattern.exec(asked)
			if (found) return named(surface, found.groups)
		}
		return null
	}
}

function patternOf(line: string): RegExp {
	const pattern = line
		.replace(/[.*+?^$()|[\]\\]/g, '\\$&')
		.replace(/\{(\w+)\}/g, (_, name) => parts[name] ?? '')
	return new RegExp(`^${pattern}$`)
}

function named(surface: Surface, groups: Record<string, string> | undefined): Surface | null {
	if (groups?.object !== undefined) return { ...surface, object: groups.object }
	if (groups?.model === undefined) return surface
	const model = decoded(groups.model)
	return model === null ? null : { ...surface, model }
}

/** A part of a path without its percent-encoding; null if that is malformed. */
export function decoded(text: string): string | null {
	try {
		return decodeURIComponent(text)
	} catch {
		return null
	}
}
