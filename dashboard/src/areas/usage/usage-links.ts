import type { BreakdownRow, By, CallFilter } from '../spotlight/breakdowns.ts'

/** The page of the object in a row of a list. */
export function pageOf(by: By, { filter, link }: Pick<BreakdownRow, 'filter' | 'link'>) {
	const of: CallFilter = filter ?? {}
	if (by === 'users' && of.user) return { to: '/users', search: { user: of.user } }
	if (by === 'tools' && of.tool)
		return { to: '/tools', search: { tool: of.tool, ...(of.server && { server: of.server }) } }
	if (by === 'models' && of.model)
		return { to: '/models', search: { model: of.model, ...(of.provider && { provider: of.provider }) } }
	if (link && (by === 'servers' || by === 'agents')) return { ...link, search: { tab: 'usage' } }
	return link
}
