export interface Endpoint {
	method: string
	path: string
	credential: 'owner' | 'agent' | 'ingest' | 'none'
	body: unknown
	headers?: Record<string, string>
}

const meta = {
	'io.modelcontextprotocol/protocolVersion': '2026-07-28',
	'io.modelcontextprotocol/clientInfo': { name: 'f', version: '1' },
	'io.modelcontextprotocol/clientCapabilities': {},
}
const span = {
	traceId: '5b8efff798038103d269b633813fc60c',
	spanId: 'eee19b7ec3c1b174',
	name: 'x',
	kind: 1,
	startTimeUnixNano: '1544712660000000000',
	endTimeUnixNano: '1544712661000000000',
	attributes: [{ key: 'a', value: { intValue: '42' } }],
	status: { code: 1 },
}
/** One well-formed request per endpoint. The test makes it invalid. */
export const endpoints: readonly Endpoint[] = [
	{
		method: 'POST',
		path: '/auth/login',
		credential: 'none',
		body: { email: 'a@b.example', password: 'not the password' },
	},
	{
		method: 'POST',
		path: '/auth/setup',
		credential: 'none',
		body: { setup_token: 'x', email: 'a@b.example', password: 'not the password' },
	},
	{ method: 'POST', path: '/auth/refresh', credential: 'none', body: { refresh_token: 'x' } },
	{ method: 'POST', path: '/v1/agents', credential: 'owner', body: { name: 'n', description: 'd' } },
	{ method: 'PATCH', path: '/v1/agents/{id}', credential: 'owner', body: { name: 'n', description: 'd' } },
	{
		method: 'POST',
		path: '/v1/keys',
		credential: 'owner',
		body: { name: 'n', scopes: ['agents:read'], expires_at: '2030-01-01T00:00:00Z' },
	},
	{ method: 'POST', path: '/v1/ingest-tokens', credential: 'owner', body: { name: 'n' } },
	{
		method: 'PATCH',
		path: '/v1/mcp/servers/{id}',
		credential: 'owner',
		body: { name: 'n', headers: { a: 'b' }, configuration: { a: { b: 1 } } },
	},
	{
		method: 'POST',
		path: '/v1/mcp/servers/{id}/access',
		credential: 'owner',
		body: { agent_uuid: 'x', access_mode: 'selected', allowed_tools: ['a'] },
	},
	{
		method: 'POST',
		path: '/v1/provider-keys',
		credential: 'owner',
		body: { name: 'n', provider: 'openai', key: 'k', base_url: 'http://127.0.0.1:9/v1' },
	},
	{
		method: 'POST',
		path: '/mcp',
		credential: 'agent',
		body: {
			jsonrpc: '2.0',
			id: 1,
			method: 'initialize',
			params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'f', version: '1' } },
		},
	},
	{
		method: 'POST',
		path: '/mcp',
		credential: 'agent',
		body: {
			jsonrpc: '2.0',
			id: 1,
			method: 'tools/call',
			params: { name: 'a__b', arguments: { x: 1 }, _meta: meta },
		},
		headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'a__b' },
	},
	{
		method: 'POST',
		path: '/mcp/nothing',
		credential: 'agent',
		body: { jsonrpc: '2.0', id: 'a', method: 'tools/list', params: { cursor: 'x', _meta: meta } },
		headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' },
	},
	{
		method: 'POST',
		path: '/proxy/none/v1/chat/completions',
		credential: 'agent',
		body: { model: 'm', messages: [{ role: 'user', content: 'x' }], stream: true },
	},
	{
		method: 'POST',
		path: '/proxy/anthropic/v1/messages',
		credential: 'agent',
		body: { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'x' }] },
	},
	{
		method: 'POST',
		path: '/v1/traces',
		credential: 'ingest',
		body: {
			resourceSpans: [
				{
					resource: { attributes: [{ key: 'service.name', value: { stringValue: 's' } }] },
					scopeSpans: [{ scope: { name: 's' }, spans: [span] }],
				},
			],
		},
	},
	{
		method: 'POST',
		path: '/api/public/ingestion',
		credential: 'ingest',
		body: {
			batch: [
				{
					id: 'e',
					type: 'score-create',
					timestamp: '2026-01-01T00:00:00Z',
					body: { traceId: span.traceId, name: 'n', value: 1, dataType: 'NUMERIC', comment: 'c' },
				},
			],
		},
	},
	{
		method: 'POST',
		path: '/api/public/scores',
		credential: 'ingest',
		body: [{ id: 's', traceId: span.traceId, name: 'n', value: 'good', dataType: 'CATEGORICAL' }],
	},
	{ method: 'GET', path: '/v1/telemetry/spans', credential: 'owner', body: null },
	{ method: 'GET', path: '/v1/telemetry/traces/{id}', credential: 'owner', body: null },
	{ method: 'GET', path: '/v1/spotlight/overview', credential: 'owner', body: null },
	{ method: 'GET', path: '/v1/mcp/servers/{id}', credential: 'owner', body: null },
	{ method: 'GET', path: '/agent/list', credential: 'owner', body: null },
]
export const strangeIds = [
	'0192f0c1-2d3e-7a4b-8c5d-6e7f80910213',
	'x',
	'%27',
	'%F0%9F%98%80',
	'__proto__',
	'constructor',
	'%C3%28',
	'-1',
	'%7B%7D',
	'9'.repeat(400),
	'null',
]
export const strangeQueries = [
	'',
	'?page=0',
	'?limit=1000000',
	'?limit=-1',
	'?start=-9999999d',
	'?start=x',
	'?start=2026-01-01',
	'?end=-1h&start=-1m',
	'?cursor=eyJ9',
	'?cursor=%00',
	'?__proto__=1',
	'?a[b]=c',
	`?q=${'x'.repeat(3000)}`,
	'?limit=1&limit=2',
	'?%',
	'?sort=name;drop',
]
