import type { DatabaseTransaction } from '../platform/database/index.ts'
import { Problem } from '../platform/errors.ts'
import { listExposedNames, lockExposedNames, type ServerRow } from './server-repository.ts'

type Names = Pick<ServerRow, 'id' | 'slug' | 'tool_prefix' | 'tool_aliases'>

/** Tools of our own on the aggregate. */
const ours: ReadonlySet<string> = new Set(['find_tools', 'call_tool', 'read_more', 'signalbox_read_more'])

export function readAliases(text: string | null): Map<string, string> {
	return new Map(Object.entries(JSON.parse(text ?? '{}') as Record<string, string>))
}

/** Null when there are none. */
export function aliasesText(aliases: Readonly<Record<string, string>> = {}): string | null {
	return Object.keys(aliases).length === 0 ? null : JSON.stringify(aliases)
}

/**
 * The names that servers of the workspace take before `__`. Take it first in a transaction: from then on nobody else
 * chooses names until it ends.
 */
export async function takenPrefixes(tx: DatabaseTransaction, workspaceId: string): Promise<Set<string>> {
	await lockExposedNames(tx)
	const rows = await listExposedNames(tx, workspaceId)
	return new Set(
		rows.flatMap(({ slug, tool_prefix }) => (tool_prefix === null ? [slug] : [slug, tool_prefix])),
	)
}

/** Throws `name_taken` when a prefix or an alias is another server's, ours, or given twice. Take it first, as above. */
export async function requireFreeNames(
	tx: DatabaseTransaction,
	workspaceId: string,
	{ id, tool_prefix, tool_aliases }: Names,
): Promise<void> {
	await lockExposedNames(tx)
	const others = (await listExposedNames(tx, workspaceId)).filter((other) => other.id !== id)
	const named = others.find((other) => other.slug === tool_prefix || other.tool_prefix === tool_prefix)
	if (tool_prefix !== null && named)
		throw new Problem('name_taken', `The tools of ${named.name} begin with ${tool_prefix}__ already.`)
	const owners = new Map<string, string>(
		others.flatMap(({ name, tool_aliases: theirs }) =>
			[...readAliases(theirs)].map(
				([tool, alias]) => [alias, `the tool ${tool} of ${name}`] as [string, string],
			),
		),
	)
	for (const name of ours) owners.set(name, 'a tool of Signalbox')
	for (const [tool, alias] of readAliases(tool_aliases)) {
		const owner = owners.get(alias)
		if (owner)
			throw new Problem('name_taken', `The alias ${alias} of ${tool} is the name of ${owner} already.`)
		owners.set(alias, `the tool ${tool}`)
	}
}
