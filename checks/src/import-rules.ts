/**
 * Who may import whom. `ARCHITECTURE.md` shows this table and `architecture.test.ts` holds the code, the table and the
 * page equal. A folder may always import itself; other areas only through their `index.ts`.
 */
export const workspaceRules: Record<string, readonly string[]> = {
	contract: [],
	server: ['contract'],
	dashboard: ['contract'],
	bench: ['contract', 'server'],
	examples: [],
	checks: ['contract', 'server', 'dashboard', 'bench', 'examples'],
}

/** Folders of `server/src`, in the order in which a newcomer should read them. */
export const serverRules: Record<string, readonly string[]> = {
	platform: [],
	config: ['platform'],
	events: ['platform'],
	audit: ['platform', 'events'],
	identity: ['platform', 'audit'],
	webhooks: ['platform', 'events', 'audit'],
	limits: ['platform', 'audit'],
	agents: ['platform', 'audit', 'identity'],
	programs: ['platform'],
	workers: ['platform', 'programs'],
	'tool-definitions': ['platform', 'events', 'audit'],
	servers: ['platform', 'events', 'audit', 'identity', 'tool-definitions', 'programs'],
	approvals: ['platform', 'events', 'audit'],
	'access-grants': ['platform', 'audit', 'identity', 'agents', 'tool-definitions', 'servers'],
	ledger: ['platform'],
	budgets: ['platform', 'events', 'audit', 'ledger'],
	telemetry: ['platform', 'events', 'audit', 'identity', 'ledger'],
	forwarders: ['platform', 'audit', 'telemetry'],
	prices: ['platform', 'audit', 'ledger', 'telemetry'],
	'access-review': ['platform', 'audit', 'identity', 'agents', 'servers', 'access-grants', 'telemetry'],
	'upstream-credentials': ['platform', 'audit', 'identity', 'agents', 'servers'],
	gateway: [
		'platform',
		'audit',
		'identity',
		'agents',
		'programs',
		'servers',
		'upstream-credentials',
		'approvals',
		'access-grants',
		'telemetry',
	],
	'model-proxy': [
		'platform',
		'audit',
		'identity',
		'webhooks',
		'agents',
		'access-grants',
		'ledger',
		'budgets',
		'telemetry',
	],
	'authorization-server': ['platform', 'audit', 'identity', 'agents', 'servers'],
	spotlight: [
		'platform',
		'audit',
		'identity',
		'agents',
		'tool-definitions',
		'servers',
		'access-grants',
		'ledger',
		'telemetry',
	],
	questions: ['platform', 'audit'],
	alerts: ['platform', 'events', 'audit', 'telemetry', 'questions'],
	'platform-mcp': ['platform'],
	demo: ['platform', 'audit', 'identity', 'telemetry'],
	client: [],
	backup: ['platform', 'telemetry'],
	cli: ['platform', 'audit', 'identity', 'client', 'telemetry', 'backup'],
}

/** Areas that only `app.ts` and tests may import. */
export const importedByAppOnly: readonly string[] = [
	'access-review',
	'authorization-server',
	'demo',
	'gateway',
	'model-proxy',
	'platform-mcp',
	'spotlight',
]

/** Inside an area: a file of the left kind never imports one of the right kinds. */
export const roleRules: Record<string, readonly string[]> = {
	'repository.ts': ['service.ts', 'routes.ts'],
	'service.ts': ['routes.ts'],
}

/** The table as it stands in ARCHITECTURE.md. */
export function renderImportTable(): string {
	const rows = Object.entries(serverRules).map(
		([folder, may]) =>
			`| \`${folder}/\` | ${may.map((name) => `\`${name}\``).join(', ') || 'nothing of ours but `contract`'} |`,
	)
	return ['| Folder of `server/src` | may import |', '|---|---|', ...rows].join('\n')
}
