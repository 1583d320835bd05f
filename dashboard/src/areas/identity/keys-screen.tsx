import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, type Schemas, unwrap } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { KeyTable } from './key-table.tsx'
import { statuses } from './keys-search.ts'
import { NewIngestTokenDialog } from './new-ingest-token-dialog.tsx'
import { NewKeyDialog } from './new-key-dialog.tsx'
import { RoleHint } from './role-hint.tsx'
import { useCan } from './session.ts'

const route = getRouteApi('/_app/keys')

/** Which credentials exist, what may each do, and is it still used? */
export function KeysScreen() {
	const { tab = 'keys' } = route.useSearch()
	const navigate = route.useNavigate()
	return (
		<Page
			title="Keys & tokens"
			description="Keys give access to the API and the data plane. Tokens can only write telemetry."
		>
			<RoleHint needs="keys:write" what="create, change or revoke keys" />
			<Tabs
				label="Kind of credential"
				value={tab}
				onChange={(next) =>
					void navigate({ search: next === 'tokens' ? { tab: 'tokens' } : {}, replace: true })
				}
				tabs={[
					{ value: 'keys', label: 'Keys', content: <Keys /> },
					{ value: 'tokens', label: 'Ingest tokens', content: <IngestTokens /> },
				]}
			/>
		</Page>
	)
}

/** The state of the list in the address, and the open dialog. */
function useKeysPlace() {
	const { status, page = 1, create } = route.useSearch()
	const navigate = route.useNavigate()
	const query = { limit: 50, page, ...(status && { status }) }
	const setCreate = (on: boolean) =>
		void navigate({ search: ({ create: _, ...rest }) => (on ? { ...rest, create: true } : rest) })
	return { query, isCreating: create === true, setCreate }
}

function Keys() {
	const { query, isCreating, setCreate } = useKeysPlace()
	const keys = useQuery({
		queryKey: ['keys', query],
		queryFn: () => unwrap(api.GET('/v1/keys', { params: { query } })),
		placeholderData: keepPreviousData,
	})
	return (
		<>
			<CredentialPanel
				query={keys}
				pagination={keys.data?.pagination}
				action="Create key"
				onCreate={() => setCreate(true)}
				empty="A platform key lets a program use the API: list servers, manage agents, read Spotlight. Keys that act as an agent are made on the agent’s screen."
			>
				{keys.data && keys.data.keys.length > 0 && <KeyTable keys={keys.data.keys} refreshKey={['keys']} />}
			</CredentialPanel>
			<NewKeyDialog open={isCreating} onClose={() => setCreate(false)} />
		</>
	)
}

function IngestTokens() {
	const { query, isCreating, setCreate } = useKeysPlace()
	const tokens = useQuery({
		queryKey: ['ingest-tokens', query],
		queryFn: () => unwrap(api.GET('/v1/ingest-tokens', { params: { query } })),
		placeholderData: keepPreviousData,
	})
	return (
		<>
			<CredentialPanel
				query={tokens}
				pagination={tokens.data?.pagination}
				action="Create token"
				onCreate={() => setCreate(true)}
				empty="An ingest token lets an OpenTelemetry exporter write spans into this workspace, and nothing else. It is safe to give to every service."
			>
				{tokens.data && tokens.data.ingest_tokens.length > 0 && (
					<KeyTable keys={tokens.data.ingest_tokens} what="token" refreshKey={['ingest-tokens']} />
				)}
			</CredentialPanel>
			<NewIngestTokenDialog open={isCreating} onClose={() => setCreate(false)} />
		</>
	)
}

interface CredentialPanelProps {
	query: { isPending: boolean; error: unknown; refetch(): unknown }
	pagination: Schemas['Pagination'] | undefined
	action: string
	onCreate(): void
	empty: string
	/** The table; nothing if it is empty. */
	children: ReactNode
}

function CredentialPanel({ query, pagination, action, onCreate, empty, children }: CredentialPanelProps) {
	const { status } = route.useSearch()
	const navigate = route.useNavigate()
	const canChange = useCan('keys:write')
	return (
		<>
			<Panel
				title={<StatusFilter />}
				actions={
					<Button variant="primary" icon="plus" disabled={!canChange} onClick={onCreate}>
						{action}
					</Button>
				}
				flush
			>
				{children ||
					(query.error ? (
						<ErrorState error={query.error} retry={() => void query.refetch()} />
					) : query.isPending ? (
						<SkeletonRows />
					) : (
						<Empty icon="key" title={status ? `No ${status} credentials` : 'None yet'}>
							{empty}
						</Empty>
					))}
			</Panel>
			{pagination && (
				<Pager
					pagination={pagination}
					onChange={(next) => void navigate({ search: (old) => ({ ...old, page: next }) })}
				/>
			)}
		</>
	)
}

function StatusFilter() {
	const { status } = route.useSearch()
	const navigate = route.useNavigate()
	return (
		<Segmented
			label="Status"
			value={status ?? 'all'}
			options={[
				{ value: 'all', label: 'All' },
				...statuses.map((known) => ({ value: known, label: `${known[0]?.toUpperCase()}${known.slice(1)}` })),
			]}
			onChange={(next) =>
				void navigate({
					search: ({ tab }) => ({ ...(tab && { tab }), ...(next !== 'all' && { status: next }) }),
					replace: true,
				})
			}
		/>
	)
}
