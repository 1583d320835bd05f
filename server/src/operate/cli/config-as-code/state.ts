import { stringify } from 'yaml'
import type { Client } from '../../client/client.ts'
import { type ConfigurationFile, type Section, sections } from './file-schema.ts'
import { kinds } from './kinds/index.ts'
import type { Context, ExistingObject } from './kinds/kind.ts'
import { Secrets } from './secrets.ts'

/** The objects of an instance by section; sections that were not requested are absent. */
export type State = Partial<Record<Section, ExistingObject[]>>

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

/** The sections in a file, and those that they refer to. */
export function sectionsOf(content: ConfigurationFile): Section[] {
	const refers = content.toolsets !== undefined || content.grants !== undefined
	return sections.filter(
		(section) =>
			content[section] !== undefined ||
			(refers && section === 'servers') ||
			(content.grants !== undefined && section === 'agents'),
	)
}

/** Reads sections in their order, since later ones refer to objects of earlier ones. */
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

function noteIds({ ids }: Context, section: Section, existing: readonly ExistingObject[]): void {
	ids[section].clear()
	for (const { id, name } of existing) ids[section].set(name, id)
}

export interface Exported {
	content: ConfigurationFile
	/** Sections that the credential may not read, with the reason. */
	leftOut: { section: Section; reason: string }[]
}

/** Everything that the file can contain and the credential may read. Secrets become references, derived grants are left out. */
export async function exportConfiguration(client: Client): Promise<Exported> {
	const context = newContext(client, new Secrets('.'))
	const content: Record<string, unknown> = { version: 1 }
	const leftOut: Exported['leftOut'] = []
	for (const section of sections) {
		try {
			const state = await readState(context, [section])
			const entries = (state[section] ?? []).map((existing) => kinds[section].toEntry(existing))
			content[section] = entries
		} catch (error) {
			if (!isRefused(error)) throw error
			leftOut.push({ section, reason: error.message })
		}
	}
	return { content: content as ConfigurationFile, leftOut }
}

function isRefused(error: unknown): error is Error {
	return error instanceof Error && 'status' in error && (error.status === 401 || error.status === 403)
}

const heading = `# Configuration of Signalbox. \`signalbox diff\` compares it with an instance, \`signalbox apply\` makes an instance so.
# Secrets are references: put their values into the environment, or name files.
`

export function toYaml(content: ConfigurationFile): string {
	return heading + stringify(content, { lineWidth: 110 })
}
