import type { Rule } from './identity-rules.ts'

const reading: Rule = { role: 'viewer', scope: 'provider-keys:read' }
const byAdmins: Rule = { role: 'admin', scope: 'provider-keys:write' }

/** Rules of the routes that manage model calls and their costs. */
export const modelRules: Record<string, Rule> = {
	'provider-keys.list': reading,
	'provider-keys.create': byAdmins,
	'provider-keys.get': reading,
	'provider-keys.test': byAdmins,
	'provider-keys.update': byAdmins,
	'provider-keys.delete': byAdmins,
	'routes.list': reading,
	'routes.create': byAdmins,
	'routes.get': reading,
	'routes.update': byAdmins,
	'routes.delete': byAdmins,
	'hooks.list': { role: 'auditor', scope: 'provider-keys:read' },
	'hooks.create': byAdmins,
	'hooks.get': { role: 'auditor', scope: 'provider-keys:read' },
	'hooks.update': byAdmins,
	'hooks.delete': byAdmins,
	'hooks.rotate-secret': byAdmins,
	'budgets.list': { role: 'viewer', scope: 'budgets:read' },
	'budgets.create': { role: 'admin', scope: 'budgets:write' },
	'budgets.get': { role: 'viewer', scope: 'budgets:read' },
	'budgets.update': { role: 'admin', scope: 'budgets:write' },
	'budgets.delete': { role: 'admin', scope: 'budgets:write' },
	'budgets.spending': { role: 'viewer', scope: 'budgets:read' },
	'model-limits.list': { role: 'viewer', scope: 'budgets:read' },
	'model-limits.create': { role: 'admin', scope: 'budgets:write' },
	'model-limits.get': { role: 'viewer', scope: 'budgets:read' },
	'model-limits.update': { role: 'admin', scope: 'budgets:write' },
	'model-limits.delete': { role: 'admin', scope: 'budgets:write' },
	'prices.list': { role: 'viewer', scope: 'budgets:read' },
	'prices.create': { role: 'admin', scope: 'budgets:write' },
	'prices.end': { role: 'admin', scope: 'budgets:write' },
	'prices.effective': { role: 'viewer', scope: 'budgets:read' },
	'prices.unpriced': { role: 'viewer', scope: 'budgets:read' },
	'ledger.list': { role: 'viewer', scope: 'spotlight:read' },
	'ledger.versions': { role: 'viewer', scope: 'spotlight:read' },
	'ledger.reprice': { role: 'admin', scope: 'budgets:write' },
}
