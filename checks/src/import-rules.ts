/**
 * The permitted imports. `ARCHITECTURE.md` shows these tables, and `architecture.test.ts` keeps the code, the tables and the page
 * equal. Imports of types count. A room may always import itself.
 */
export const workspaceRules: Record<string, readonly string[]> = {
	contract: [],
	server: ['contract'],
	dashboard: ['contract'],
	bench: ['contract', 'server'],
	examples: [],
	checks: ['contract', 'server', 'dashboard', 'bench', 'examples'],
}

type Rules = Record<string, readonly string[]>

/** Rooms of `server/src`, in the order in which a newcomer should read them. */
export const roomRules: Rules = {
	platform: [],
	config: ['platform'],
	ledger: ['platform'],
	accounts: ['platform', 'config'],
	'mcp-client': ['platform'],
	servers: ['platform', 'accounts', 'mcp-client'],
	telemetry: ['platform', 'accounts', 'ledger'],
	access: ['platform', 'accounts', 'servers', 'telemetry'],
	gateway: ['platform', 'mcp-client', 'servers', 'telemetry', 'access'],
	models: ['platform', 'accounts', 'ledger', 'telemetry', 'access'],
	insights: ['platform', 'accounts', 'ledger', 'servers', 'telemetry', 'access'],
	operate: ['platform', 'config', 'accounts', 'telemetry'],
	program: [
		'platform',
		'config',
		'accounts',
		'ledger',
		'servers',
		'telemetry',
		'access',
		'gateway',
		'models',
		'insights',
		'operate',
	],
}

/** Rooms whose files are imported by name, because everything else is based on them. */
export const openRooms: readonly string[] = ['platform', 'config']

/** Folders that only `program/app.ts` and tests may import from outside their room. */
export const importedByAppOnly: readonly string[] = [
	'access/review',
	'access/authorization-server',
	'gateway',
	'models/proxy',
	'insights/spotlight',
	'operate/demo',
	'operate/platform-mcp',
]

/**
 * For the folders inside a room, by the room's path: which of the others each may import. `.` stands for the files next to them, which
 * every folder of the room may import; a folder that is not listed imports none.
 */
export const folderRules: Record<string, Rules> = {
	'server/src/accounts': {
		audit: ['events'],
		identity: ['audit'],
		limits: ['audit'],
	},
	'server/src/servers': {},
	'server/src/telemetry': {
		arrivals: ['export', 'logs', 'otlp', 'reads'],
		blocks: ['rollups'],
		'call-recording': ['blocks', 'recorder'],
		'call-rows': ['blocks', 'exchanges', 'recorder', 'redaction'],
		erasures: ['normalise', 'reads', 'recorder', 'rollups'],
		exchanges: ['normalise', 'reads', 'recorder', 'redaction', 'retention', 'rollups'],
		export: ['logs', 'metrics', 'otlp', 'reads'],
		live: ['blocks'],
		logs: ['blocks', 'normalise', 'otlp', 'reads', 'redaction'],
		metrics: ['export', 'otlp', 'reads', 'redaction'],
		otlp: ['blocks', 'live', 'logs', 'metrics', 'normalise', 'recorder', 'redaction', 'retention', 'rollups'],
		reads: ['metrics', 'rollups', 'scores', 'tool-links'],
		recorder: ['blocks', 'rollups'],
		renormalise: ['arrivals', 'erasures', 'normalise', 'reads', 'rollups'],
		retention: ['rollups'],
		scores: ['logs', 'reads', 'recorder', 'redaction', 'retention'],
		'tool-links': ['reads'],
	},
	'server/src/access': {
		'authorization-server': ['agents'],
		grants: ['agents'],
		review: ['agents', 'grants'],
		'upstream-credentials': ['agents'],
	},
	'server/src/gateway': {
		catalog: ['protocol', 'upstreams'],
		'context-savers': ['perform'],
		eras: ['listening', 'perform', 'protocol', 'tasks'],
		'limits-of-calls': ['refusals'],
		listening: ['eras', 'perform', 'protocol', 'upstreams'],
		'long-results': ['perform'],
		perform: [
			'catalog',
			'context-savers',
			'limits-of-calls',
			'long-results',
			'protocol',
			'refusals',
			'tasks',
			'upstreams',
		],
		'plain-calls': ['context-savers', 'eras', 'long-results', 'perform', 'protocol', 'tasks', 'upstreams'],
		tasks: ['eras', 'limits-of-calls', 'perform', 'upstreams'],
		upstreams: ['perform', 'protocol', 'tasks'],
	},
	'server/src/models': {
		proxy: ['budgets', 'prices'],
	},
	'server/src/models/proxy': {
		connections: ['providers', 'routing'],
		contents: ['providers'],
		deferred: ['providers', 'reliability'],
		hooks: ['connections', 'providers', 'reliability', 'tee'],
		limits: ['connections'],
		objects: ['deferred', 'providers'],
		providers: ['tee'],
		reliability: ['connections', 'deferred'],
		routing: ['connections', 'objects', 'providers', 'reliability', 'usage-injection'],
		rows: ['contents', 'providers', 'reliability', 'tee'],
		tee: ['providers'],
		'usage-injection': ['connections', 'providers', 'reliability'],
	},
	'server/src/insights': {
		alerts: ['saved-views'],
	},
	'server/src/operate': {
		cli: ['backup', 'client', 'stores'],
		stores: ['backup'],
	},
	'dashboard/src': {
		app: ['areas', 'lib', 'ui'],
		areas: ['app', 'lib', 'ui'],
		routes: ['app', 'areas', 'lib'],
		ui: ['lib'],
	},
}

/** Within an area, a file that matches `file` never imports one that matches `never`. */
export const roleRules: readonly { file: RegExp; never: RegExp }[] = [
	{ file: /(^|-)repository\.ts$/, never: /(^|-)(service|routes)\.ts$/ },
	{ file: /(^|-)service\.ts$/, never: /(^|-)routes\.ts$/ },
]

/** The table of rooms as in ARCHITECTURE.md. */
export function renderRoomTable(): string {
	const rows = Object.entries(roomRules).map(
		([room, may]) =>
			`| \`${room}/\` | ${may.map((name) => `\`${name}\``).join(', ') || 'nothing of ours but `contract`'} |`,
	)
	return ['| Room of `server/src` | may import |', '|---|---|', ...rows].join('\n')
}
