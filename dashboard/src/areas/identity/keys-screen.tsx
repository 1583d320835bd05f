import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { api, take } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { KeyTable } from './key-table.tsx'
import { NewIngestTokenDialog } from './new-ingest-token-dialog.tsx'
import { NewKeyDialog } from './new-key-dialog.tsx'
import { RoleHint } from './role-hint.tsx'
import { useCan } from './session.ts'

const route = getRouteApi('/_app/keys')
const newest = { params: { query: { limit: 100 } } }

/** Which credentials exist, what each may do, and is it still used? */
export function KeysScreen() {
	const { tab = 'keys' } = route.useSearch()
	const navigate = route.useNavigate()
	return (
		<Page
			title="Keys & tokens"
			description="Keys open the API and the data plane. Tokens can only write telemetry."
		>
			<RoleHint needs="admin" what="create or revoke keys" />
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

function Keys() {
	const [isOpen, setIsOpen] = useState(false)
	const keys = useQuery({ queryKey: ['keys'], queryFn: () => take(api.GET('/v1/keys', newest)) })
	return (
		<>
			<CredentialPanel
				title="Platform and agent keys"
				query={keys}
				action="Create key"
				onCreate={() => setIsOpen(true)}
				empty="A platform key lets a program use the API: list servers, manage agents, read Spotlight. Keys that act as an agent are made on the agent’s screen."
			>
				{keys.data && keys.data.keys.length > 0 && <KeyTable keys={keys.data.keys} refreshKey={['keys']} />}
			</CredentialPanel>
			<NewKeyDialog open={isOpen} onClose={() => setIsOpen(false)} />
		</>
	)
}

function IngestTokens() {
	const [isOpen, setIsOpen] = useState(false)
	const tokens = useQuery({
		queryKey: ['ingest-tokens'],
		queryFn: () => take(api.GET('/v1/ingest-tokens', newest)),
	})
	return (
		<>
			<CredentialPanel
				title="Ingest tokens"
				query={tokens}
				action="Create token"
				onCreate={() => setIsOpen(true)}
				empty="An ingest token lets an OpenTelemetry exporter write spans into this workspace, and nothing else. It is safe to give to every service."
			>
				{tokens.data && tokens.data.ingest_tokens.length > 0 && (
					<KeyTable keys={tokens.data.ingest_tokens} what="token" refreshKey={['ingest-tokens']} />
				)}
			</CredentialPanel>
			<NewIngestTokenDialog open={isOpen} onClose={() => setIsOpen(false)} />
		</>
	)
}

interface CredentialPanelProps {
	title: string
	query: { isPending: boolean; error: unknown; refetch(): unknown }
	action: string
	onCreate(): void
	empty: string
	/** The table; nothing while there is none. */
	children: ReactNode
}

function CredentialPanel({ title, query, action, onCreate, empty, children }: CredentialPanelProps) {
	const isAdmin = useCan('admin')
	const createButton = (
		<Button variant="primary" icon="plus" disabled={!isAdmin} onClick={onCreate}>
			{action}
		</Button>
	)
	return (
		<Panel title={title} actions={createButton} flush>
			{children ||
				(query.error ? (
					<ErrorState error={query.error} retry={() => void query.refetch()} />
				) : query.isPending ? (
					<SkeletonRows />
				) : (
					<Empty icon="key" title="None yet">
						{empty}
					</Empty>
				))}
		</Panel>
	)
}
