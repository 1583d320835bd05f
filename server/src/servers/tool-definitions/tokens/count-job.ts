import type { RunningJob } from '../../../platform/jobs/job.ts'
import { parseExactNumbers } from '../../../platform/json/parse-json.ts'
import type { ToolDefinition } from '../definition.ts'
import type { DefinitionContext } from '../tool-definition-context.ts'
import {
	findServerForJob,
	listPins,
	listTools,
	listVersions,
	setToolTokens,
	updateVersion,
	type VersionRow,
} from '../tool-definition-repository.ts'
import { type TokenCounter, textOf } from './count-tokens.ts'

/** One job per server; it counts the tokens of definitions that are not counted yet. */
export const tokenJob = 'tool-tokens'

export async function countServer(
	{ store }: DefinitionContext,
	counter: TokenCounter,
	job: RunningJob,
): Promise<void> {
	const server = await findServerForJob(store.db, job.key)
	if (!server) return
	const versions = await listVersions(store.db, server.workspace_id, server.id)
	const open = versions.filter(({ tokens }) => tokens === null)
	const texts = open.map(({ definition }) => textOf(parseExactNumbers(definition) as ToolDefinition))
	const counts = await counter.count(texts, job.signal)
	const counted = open.map((version, index) => ({ ...version, tokens: counts[index] ?? null }))
	const known = new Map([...versions, ...counted].map((version) => [keyOf(version), version.tokens]))
	await job.commit(async (tx) => {
		for (const version of counted) await updateVersion(tx, version, { tokens: version.tokens })
		const pins = await listPins(tx, server.workspace_id, server.id)
		const approved = new Map(pins.map((pin) => [pin.name, pin.approved_hash]))
		for (const tool of await listTools(tx, server.workspace_id, server.id)) {
			const hash = tool.served === null ? tool.hash : (approved.get(tool.name) ?? '')
			const tokens = known.get(keyOf({ name: tool.name, hash })) ?? null
			if (tokens !== tool.tokens) await setToolTokens(tx, tool, tokens)
		}
	})
}

function keyOf({ name, hash }: Pick<VersionRow, 'name' | 'hash'>): string {
	return `${hash} ${name}`
}
