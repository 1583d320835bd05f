import { stringify } from 'yaml'
import type { Client } from '../../client/index.ts'
import type { ConfigurationFile, Section } from './file-schema.ts'
import { sections } from './file-schema.ts'
import { kinds } from './kinds/index.ts'
import { Secrets } from './secrets.ts'
import { newContext, readState } from './state.ts'

export interface Exported {
	content: ConfigurationFile
	/** Sections that the credential may not read. */
	leftOut: { section: Section; reason: string }[]
}

/** Everything that the file can hold and the credential may read. Secrets are references, derived grants are left out. */
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
