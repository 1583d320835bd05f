import type { Client } from '../../client/index.ts'
import { type ConfigurationFile, type Section, sections } from './file-schema.ts'
import { kinds } from './kinds/index.ts'
import type { Context, Existing } from './kinds/kind.ts'
import type { Secrets } from './secrets.ts'

/** The objects of an instance, section by section; a section that was not asked for is absent. */
export type State = Partial<Record<Section, Existing[]>>

export function newContext(client: Client, secrets: Secrets): Context {
	const ids = Object.fromEntries(sections.map((section) => [section, new Map<string, string>()]))
	return {
		client,
		secrets,
		ids: ids as Context['ids'],
		shownOnce: [],
		newIdempotencyKey: () => crypto.randomUUID(),
	}
}

/** The sections that a file speaks of, and those that they refer to. */
export function sectionsOf(content: ConfigurationFile): Section[] {
	const refers = content.toolsets !== undefined || content.grants !== undefined
	return sections.filter(
		(section) =>
			content[section] !== undefined ||
			(refers && section === 'servers') ||
			(content.grants !== undefined && section === 'agents'),
	)
}

/** Reads sections in their order, since later ones name objects of earlier ones. */
export async function readState(context: Context, wanted: readonly Section[]): Promise<State> {
	const state: State = {}
	for (const section of wanted) {
		state[section] = await kinds[section].read(context)
		noteIds(context, section, state[section])
	}
	return state
}

export async function reread(context: Context, section: Section): Promise<void> {
	noteIds(context, section, await kinds[section].read(context))
}

function noteIds({ ids }: Context, section: Section, existing: readonly Existing[]): void {
	ids[section].clear()
	for (const { id, name } of existing) ids[section].set(name, id)
}
