import type { TelemetryStore } from './store.ts'

const week = 7 * 24 * 60 * 60

/**
 * Statements that make the tables of a migrated store on every node of a cluster with one shard, replicated under the servers' macros
 * `shard` and `replica`. They are made from what the engine says of its tables, so they are the schema that the migrations
 * made; names are without a database. Each bears a second run: a newer version adds what it has more.
 */
export async function replicatedDdl(
	store: Pick<TelemetryStore, 'query'>,
	cluster: string,
): Promise<string[]> {
	if (!/^[A-Za-z0-9_-]+$/.test(cluster))
		throw new TypeError('The name of a cluster has letters, digits, _ and - only.')
	const tables = await store.query<{ create_table_query: string }>(
		`SELECT replaceAll(create_table_query, concat(currentDatabase(), '.'), '') AS create_table_query FROM system.tables
		WHERE database = currentDatabase() ORDER BY engine = 'MaterializedView', name`,
	)
	const created = tables.map(({ create_table_query }) => replicated(create_table_query, cluster))
	return [...created, await noteVersions(store)]
}

function replicated(create: string, cluster: string): string {
	return create
		.replace(
			/^CREATE (TABLE|MATERIALIZED VIEW) (\w+)/,
			`CREATE $1 IF NOT EXISTS $2 ON CLUSTER \`${cluster}\``,
		)
		.replace(
			/ ENGINE = (\w*MergeTree)\b(?:\((\w+)\))?/,
			(_, engine: string, version?: string) =>
				` ENGINE = Replicated${engine}('/clickhouse/tables/{shard}/{database}/{table}', '{replica}'${version ? `, ${version}` : ''})`,
		)
		.replace(
			/\bnon_replicated_deduplication_window = (\d+)/,
			// A batch may wait for days in the log; by its own measure a server forgets a token after an hour.
			`replicated_deduplication_window = $1, replicated_deduplication_window_seconds = ${week}`,
		)
}

/** So that the program does not make its tables once more; in a cluster that has them nothing is noted. */
async function noteVersions(store: Pick<TelemetryStore, 'query'>): Promise<string> {
	const [row] = await store.query<{ version: number }>('SELECT max(id) AS version FROM schema_migrations')
	return `INSERT INTO schema_migrations (id, applied_at) SELECT number + 1, now64(3) FROM numbers(${Number(row?.version)}) WHERE (SELECT count() FROM schema_migrations) = 0`
}
