import type { TelemetryStore } from './store.ts'

/**
 * Makes an empty table with the columns, order, partitions and settings of another one, for this node alone: beside a replicated table too it
 * is a plain one, since a copy of the definition would claim the other's place in the keeper. Both names are ours.
 */
export async function createSideTable(
	store: Pick<TelemetryStore, 'query' | 'command'>,
	name: string,
	of: string,
): Promise<void> {
	const [found] = await store.query<{ engine: string }>(
		'SELECT engine_full AS engine FROM system.tables WHERE database = currentDatabase() AND name = {of:String}',
		{ of },
	)
	if (!found) throw new Error(`The telemetry store has no table ${of}`)
	await store.command(sideTableStatement(name, of, found.engine))
}

/** `engine`: the other one's, with its order, partitions and settings, as `system.tables` has it. */
export function sideTableStatement(name: string, of: string, engine: string): string {
	const plain = engine.replace(/^Replicated(\w+)\('[^']*', '[^']*'(?:, )?/, '$1(')
	return `CREATE TABLE ${name} AS ${of} ENGINE = ${plain}`
}
