import type { Role, Scope } from '@signalbox/contract'

/** Who may use a route, written by hand: the test compares what really happens with this, not with the route's own rule. */
export type Rule =
	| 'public'
	/** Operators of the instance, whatever their role in a workspace. */
	| 'operator'
	/** Telemetry only: ingest tokens, nobody else. */
	| 'ingest'
	/** MCP and models: keys with the scope. */
	| { invoke: Scope }
	/** People of at least this role, and platform keys with the scope (none: people only). */
	| { role: Role; scope?: Scope }

const reading = (area: 'agents' | 'servers' | 'access' | 'keys' | 'provider-keys'): Rule => ({
	role: 'viewer',
	scope: `${area}:read`,
})
const byMembers = (area: 'agents' | 'servers'): Rule => ({ role: 'member', scope: `${area}:write` })
const byAdmins = (area: 'agents' | 'servers' | 'access' | 'keys' | 'provider-keys'): Rule => ({
	role: 'admin',
	scope: `${area}:write`,
})
const signedIn: Rule = { role: 'viewer' }
const mcp: Rule = { invoke: 'mcp:invoke' }
const proxy: Rule = { invoke: 'proxy:invoke' }

/** Every route by its id. A route that is missing here fails the build. */
export const identityRules: Record<string, Rule> = {
	'auth.methods': 'public',
	'auth.setup': 'public',
	'auth.register': 'public',
	'auth.login': 'public',
	'auth.refresh': 'public',
	'auth.jwks': 'public',
	'auth.switch': signedIn,
	'auth.logout': signedIn,
	'auth.me': signedIn,
	'auth.sessions': signedIn,
	'auth.sessions.revoke': signedIn,
	'auth.sessions.end': signedIn,
	'auth.verify': 'public',
	'auth.verify.resend': signedIn,
	'auth.password.forgot': 'public',
	'auth.password.reset': 'public',
	'auth.password.change': signedIn,
	'mail-links.list': 'operator',
	'keys.list': reading('keys'),
	'keys.create': byAdmins('keys'),
	'keys.revoke': byAdmins('keys'),
	'ingest-tokens.list': reading('keys'),
	'ingest-tokens.create': byAdmins('keys'),
	'ingest-tokens.revoke': byAdmins('keys'),
	'agents.list-seed': reading('agents'),
	'agents.list': reading('agents'),
	'agents.create': byMembers('agents'),
	'agents.get': reading('agents'),
	'agents.update': byMembers('agents'),
	'agents.delete': byAdmins('agents'),
	'agents.pause': byMembers('agents'),
	'agents.resume': byMembers('agents'),
	'agents.stop': byMembers('agents'),
	'agents.start': byMembers('agents'),
	'agents.create-key': byAdmins('keys'),
	'servers.list': reading('servers'),
	'servers.create': byAdmins('servers'),
	'servers.get': reading('servers'),
	'servers.update': byAdmins('servers'),
	'servers.replace': byAdmins('servers'),
	'servers.delete': byAdmins('servers'),
	'servers.tools': reading('servers'),
	'servers.refresh-tools': byMembers('servers'),
	'servers.health': reading('servers'),
	'access.list': reading('access'),
	'access.create': byAdmins('access'),
	'access.update': byAdmins('access'),
	'access.delete': byAdmins('access'),
	'access.of-agent': reading('access'),
	'provider-keys.list': reading('provider-keys'),
	'provider-keys.create': byAdmins('provider-keys'),
	'provider-keys.update': byAdmins('provider-keys'),
	'provider-keys.delete': byAdmins('provider-keys'),
	'limits.list': signedIn,
	'limits.replace': { role: 'admin' },
	'audit.list': { role: 'admin', scope: 'audit:read' },
	'telemetry.spans': { role: 'viewer', scope: 'telemetry:read' },
	'telemetry.trace': { role: 'viewer', scope: 'telemetry:read' },
	'telemetry.live': { role: 'viewer', scope: 'telemetry:read' },
	'spotlight.overview': { role: 'viewer', scope: 'spotlight:read' },
	'spotlight.timeseries': { role: 'viewer', scope: 'spotlight:read' },
	'system.livez': 'public',
	'system.healthz': 'public',
	'system.readyz': 'public',
	'system.version': 'public',
	'system.metrics': 'public',
	'mcp.all.post': mcp,
	'mcp.all.stream': mcp,
	'mcp.all.end': mcp,
	'mcp.one.post': mcp,
	'mcp.one.stream': mcp,
	'mcp.one.end': mcp,
	'mcp-key.all.post': mcp,
	'mcp-key.all.stream': mcp,
	'mcp-key.all.end': mcp,
	'mcp-key.one.post': mcp,
	'mcp-key.one.stream': mcp,
	'mcp-key.one.end': mcp,
	'model-proxy.call': proxy,
	'model-proxy.spotlight-call': proxy,
	'otlp.traces': 'ingest',
	'otlp.ingest_http_traces': 'ingest',
	'otlp.ingest_http': 'ingest',
	'page.root': 'public',
	'page.dashboard': 'public',
	'page.openapi': 'public',
	'page.llms': 'public',
	'page.reference': 'public',
	'page.reference-script': 'public',
	'page.errors': 'public',
}
