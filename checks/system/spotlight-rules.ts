import type { Rule } from './identity-rules.ts'

const asking: Rule = { role: 'viewer', scope: 'spotlight:read' }

/** Who may use the routes of Spotlight. */
export const spotlightRules: Record<string, Rule> = {
	'spotlight.overview': asking,
	'spotlight.timeseries': asking,
	'spotlight.export': asking,
	'spotlight.usage': asking,
	'spotlight.tools': asking,
	'spotlight.resources': asking,
	'spotlight.prompts': asking,
	'spotlight.servers': asking,
	'spotlight.agents': asking,
	'spotlight.models': asking,
	'spotlight.users': asking,
	'spotlight.clients': asking,
	'spotlight.sessions': asking,
	'spotlight.session': asking,
	'spotlight.releases': asking,
	'spotlight.tool_costs': asking,
	'spotlight.call_views': asking,
	'spotlight.cache_misses': asking,
	'spotlight.cache_miss': asking,
	'spotlight.scores': asking,
	'spotlight.errors': asking,
	'spotlight.ambiguous': asking,
	'spotlight.facets': asking,
	'spotlight.mcp_tool_selection': asking,
	'spotlight.mcp_definition_changes': asking,
	'spotlight.mcp_invalid_arguments': asking,
	'spotlight.mcp_retry_loops': asking,
	'spotlight.mcp_overlaps': asking,
	'spotlight.mcp_unregistered_servers': asking,
	'spotlight.mcp_export': asking,
}
