import { type RoleScope, roleHas } from '@signalbox/contract/access'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { ForwardersScreen } from '../areas/forwarders/forwarders-screen.tsx'
import { forwardersQuery } from '../areas/forwarders/queries.ts'
import { TestButton } from '../areas/forwarders/test-button.tsx'
import { SpanPath } from '../areas/getting-started/span-path.tsx'
import { RoleHint } from '../areas/identity/role-hint.tsx'
import { meQuery, type Needed, rolesFor } from '../areas/identity/session.ts'
import { HooksTab } from '../areas/model-hooks/hooks-tab.tsx'
import { hooksQuery } from '../areas/model-hooks/queries.ts'
import { PriceTable } from '../areas/spend/price-table.tsx'
import { rulesQuery } from '../areas/telemetry-settings/queries.ts'
import { RedactionTab } from '../areas/telemetry-settings/redaction-tab.tsx'
import { webhooksQuery } from '../areas/webhooks/queries.ts'
import { WebhooksScreen } from '../areas/webhooks/webhooks-screen.tsx'

const rights: ReadonlySet<RoleScope> = new Set(['workspace:read', 'budgets:read', 'budgets:write'])

// The contract has no role with only some rights of an admin: it gets one here.
vi.mock('@signalbox/contract/access', async (load) => {
	const real = await load<typeof import('@signalbox/contract/access')>()
	const roles = ['accountant', ...real.roles] as (typeof real.roles)[number][]
	const has: typeof real.roleHas = (role, scope) =>
		(role as string) === 'accountant' ? rights.has(scope) : real.roleHas(role, scope)
	const includes: typeof real.roleIncludes = (role, other) => {
		if ((other as string) === 'accountant') return [...rights].every((scope) => has(role, scope))
		return (role as string) !== 'accountant' && real.roleIncludes(role, other)
	}
	return { ...real, roles, roleHas: has, roleIncludes: includes }
})

vi.mock('@tanstack/react-router', async (load) => ({
	...(await load<typeof import('@tanstack/react-router')>()),
	getRouteApi: () => ({ useSearch: () => ({ create: true }), useNavigate: () => vi.fn() }),
	Link: ({ children }: { children: ReactNode }) => <span>{children}</span>,
}))

// The switches of Radix measure themselves with it; jsdom has none.
vi.stubGlobal(
	'ResizeObserver',
	class {
		observe() {}
		unobserve() {}
		disconnect() {}
	},
)

afterEach(cleanup)

/** Shows something to a person with this role. */
function showTo(role: string, shown: ReactNode): void {
	const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
	queries.setQueryData(meQuery.queryKey, { workspace: { id: 'w', name: 'Acme', role } } as never)
	const pagination = { page: 1, limit: 50, total: 0, total_pages: 0 }
	queries.setQueryData(hooksQuery.queryKey, { hooks: [hook] } as never)
	queries.setQueryData(rulesQuery.queryKey, { redaction_rules: [rule] } as never)
	queries.setQueryData(webhooksQuery(1).queryKey, { webhooks: [], pagination } as never)
	queries.setQueryData(forwardersQuery(1).queryKey, { forwarders: [], pagination } as never)
	render(<QueryClientProvider client={queries}>{shown}</QueryClientProvider>)
}

const isEnabled = (name: string) => !screen.getByRole<HTMLButtonElement>('button', { name }).disabled

const hook = {
	...{ id: 'h', name: 'No addresses', action: 'redact', mode: 'dry_run', enabled: true, pattern: 'x' },
	...{ stages: ['request'], models: [], connections: [], agents: [] },
}
const rule = {
	id: 'r',
	name: 'Staff numbers',
	pattern: 'EMP',
	label: 'staff',
	applies_to: ['content'],
	updated_at: '2026-11-01T00:00:00Z',
}
const price = {
	...{ id: 'p', model: 'model-1', provider: null, connection: null, rates: {}, factor: null, note: '' },
	...{ effective_from: '2026-11-01T00:00:00.000Z', effective_until: null },
} as never
const controls = (
	<>
		<PriceTable prices={[price]} />
		<TestButton forwarder={{ id: 'f' } as never} />
		<SpanPath span={undefined} />
	</>
)

test.each([
	['accountant', [true, false, false]],
	['member', [false, false, false]],
	['admin', [true, true, true]],
])('a person with the role %s can use what the role has the rights for', (role, enabled) => {
	showTo(role, controls)
	expect(['End the price of model-1', 'Try the receiver', 'Create a token'].map(isEnabled)).toEqual(enabled)
})

test.each<[string, () => ReactNode, string]>([
	['hooks', HooksTab, 'No addresses'],
	['redaction rules', RedactionTab, 'Staff numbers'],
	['webhooks', WebhooksScreen, 'No webhook yet'],
	['forwarders', ForwardersScreen, 'No forwarder yet'],
])(
	'an auditor sees %s and can change none, an admin can, and a member is told who sees them',
	(_, Shown, seen) => {
		showTo('auditor', <Shown />)
		expect(screen.queryByText(seen)).not.toBeNull()
		expect(screen.queryByRole('dialog')).toBeNull()
		const controls = [...screen.getAllByRole('button'), ...screen.queryAllByRole('switch')]
		expect(controls.every((control) => (control as HTMLButtonElement).disabled)).toBe(true)
		cleanup()
		showTo('admin', <Shown />)
		expect(screen.queryByRole('dialog')).not.toBeNull()
		cleanup()
		showTo('member', <Shown />)
		expect(screen.queryByText(seen)).toBeNull()
		expect(document.body.textContent).toContain('you need the role auditor')
	},
)

test('the hint names every role that suffices, and is not shown to those who have one', () => {
	showTo('member', <RoleHint needs="budgets:write" what="set prices" />)
	expect(document.body.textContent).toBe(
		'You are member here. To set prices you need the role accountant; an owner of Acme can give it.',
	)
	cleanup()
	showTo('accountant', <RoleHint needs="budgets:write" what="set prices" />)
	expect(document.body.textContent).toBe('')
})

test.each<[Needed, string]>([
	['workspace:read', 'accountant or viewer or auditor'],
	['audit:read', 'auditor'],
	['agents:write', 'member'],
	[['agents:write', 'access:write'], 'admin'],
	[['budgets:read', 'budgets:write'], 'accountant'],
	['workspace:delete', 'owner'],
])('the roles that suffice for %s', (needed, roles) => {
	expect(rolesFor(needed)).toBe(roles)
	expect(roleHas('owner', [needed].flat()[0] as RoleScope)).toBe(true)
})
