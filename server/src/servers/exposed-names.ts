import type { DatabaseTransaction } from '../platform/database/database.ts'
import { Problem } from '../platform/errors.ts'
import { listExposedNames, lockExposedNames, type ServerRow } from './server-repository.ts'

type Names = Pick<ServerRow, 'id' | 'slug' | 'tool_prefix' | 'tool_aliases'>

/** Our own tools on the aggregate endpoint. */
const ours: ReadonlySet<string> = new Set(['find_tools', 'call_tool', 'read_more', 'signalbox_read_more'])

export function readAliases(text: string | null): Map<string, string> {
	return new Map(Object.entries(JSON.parse(text ?? '{}') as Record<string, string>))
}

/** Null if there are none. */
export function aliasesText(aliases: Readonly<Record<string, string>> = {}): string | null {
	return Object.keys(aliases).length === 0 ? null : JSON.stringify(aliases)
}

/**
 * The prefixes before `__` that servers of the workspace use. Call it first in a transaction: it takes a lock, so that no other
 * transaction can choose names until this one ends.
 */
export async function takenPrefixes(tx: DatabaseTransaction, workspaceId: string): Promise<Set<string>> {
	await lockExposedNames(tx)
	const rows = await listExposedNames(tx, workspaceId)
	return new Set(
		rows.flatMap(({ slug, tool_prefix }) => (tool_prefix === null ? [slug] : [slug, tool_prefix])),
	)
}

/**
 * Throws `name_taken` if a prefix or an alias belongs to another server or to us, or is given twice. Call it first in a
 * transaction, as it takes the same lock.
 */
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
