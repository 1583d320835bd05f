import type { Probe } from './provider.ts'

/** Counts the members of a list that an answer has under this name. */
export function countIn(name: string): NonNullable<Probe['modelsIn']> {
	return (body) => {
		const list = (body as Record<string, unknown> | null)?.[name]
		return Array.isArray(list) ? list.length : null
	}
}
