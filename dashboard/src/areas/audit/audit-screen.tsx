import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, type Schemas, unwrap } from '../../api.ts'
import { formatDateTime } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { CopyText } from '../../ui/copy.tsx'
import { ExportMenu } from '../../ui/export-menu.tsx'
import { Icon } from '../../ui/icons.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { actionLinkClass } from '../../ui/link.ts'
import { OlderButton } from '../../ui/older-button.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Badge } from '../../ui/status.tsx'
import { Row, Table, Td, Th, ThActions } from '../../ui/table.tsx'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan } from '../identity/session.ts'
import { AuditFilters } from './audit-filters.tsx'
import type { AuditSearch } from './audit-search.ts'
import { ChainBadge } from './chain-badge.tsx'

type AuditRecord = Schemas['AuditRecord']

const route = getRouteApi('/_app/audit')

/** Who changed what, and what was refused? */
export function AuditScreen() {
	const canRead = useCan('audit:read')
	const search = route.useSearch()
	const navigate = route.useNavigate()
	return (
		<Page
			title="Audit"
			description="Every change and every refused management call, newest first. Tamper-evident (hash-chained)."
			actions={canRead && <ExportMenu path="/v1/audit/export" formats={['jsonl', 'csv']} query={search} />}
		>
			<RoleHint needs="audit:read" what="read the audit log" />
			{canRead && (
				<>
					<ChainBadge />
					<AuditFilters
						key={`${search.actor} ${search.target}`}
						search={search}
						onChange={(next) => void navigate({ search: next, replace: true })}
					/>
					<Records search={search} />
				</>
			)}
		</Page>
	)
}

function Records({ search }: { search: AuditSearch }) {
	const query = useInfiniteQuery({
		queryKey: ['audit', 'list', search],
		queryFn: ({ pageParam }) =>
			unwrap(
				api.GET('/v1/audit', {
					params: { query: { limit: 50, ...search, ...(pageParam && { cursor: pageParam }) } },
				}),
			),
		initialPageParam: '',
		getNextPageParam: ({ next_cursor }) => next_cursor,
	})
	const records = query.data?.pages.flatMap(({ audit }) => audit) ?? []
	return (
		<Panel flush>
			{query.isPending ? (
				<SkeletonRows rows={8} />
			) : query.isError && records.length === 0 ? (
				<ErrorState error={query.error} retry={() => void query.refetch()} />
			) : records.length === 0 ? (
				<Empty
					icon="audit"
					title={Object.keys(search).length > 0 ? 'No record matches' : 'Nothing has been changed yet'}
				>
					{Object.keys(search).length > 0
						? 'Remove a filter to see more.'
						: 'Changes appear here with who made them.'}
				</Empty>
			) : (
				<AuditTable records={records} />
			)}
			<OlderButton what="records" query={query} />
		</Panel>
	)
}

function AuditTable({ records }: { records: readonly AuditRecord[] }) {
	return (
		<Table label="Audit log">
			<thead>
				<tr>
					<Th>Time</Th>
					<Th>Actor</Th>
					<Th>Action</Th>
					<Th>Target</Th>
					<ThActions label="Details" />
				</tr>
			</thead>
			<tbody>
				{records.map((record) => (
					<RecordRows key={record.id} record={record} />
				))}
			</tbody>
		</Table>
	)
}

function RecordRows({ record }: { record: AuditRecord }) {
	const [isOpen, setIsOpen] = useState(false)
	return (
		<>
			<Row>
				<Td className="whitespace-nowrap text-ink-2 tabular-nums">{formatDateTime(record.at)}</Td>
				<Td className="max-w-56">
					<span className="block truncate">{record.actor.name}</span>
					<span className="block text-xs text-ink-3">{record.actor.kind.replaceAll('_', ' ')}</span>
				</Td>
				<Td>
					{record.action === 'denied' || record.action === 'cut' ? (
						<Badge tone="warn" icon={record.action === 'cut' ? 'stop' : 'block'}>
							{record.action}
						</Badge>
					) : (
						<span className="font-mono text-xs">{record.action}</span>
					)}
				</Td>
				<Td className="max-w-72">
					<span className="block truncate">{record.target?.name || record.target?.id || '–'}</span>
					<span className="block text-xs text-ink-3">{record.target?.kind.replaceAll('_', ' ')}</span>
				</Td>
				<Td right>
					<Button small variant="ghost" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
						Details
						<span className="sr-only">
							{' '}
							of {record.action}, {formatDateTime(record.at)}
						</span>
						<Icon name="chevron" className={cn('size-3.5 transition-transform', isOpen && 'rotate-90')} />
					</Button>
				</Td>
			</Row>
			{isOpen && (
				<tr>
					<td colSpan={5} className="border-b border-line bg-sunken px-4 py-3">
						<JsonView value={record.detail} label="Record details" />
						<p className="mt-2 flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-ink-3">
							{record.request_id && (
								<span>
									Request <CopyText text={record.request_id} />
								</span>
							)}
							{record.target?.id && (
								<Link to="/audit" search={{ target: record.target.id }} className={actionLinkClass}>
									All about this {record.target.kind.replaceAll('_', ' ')}
								</Link>
							)}
							{record.actor.id && (
								<Link to="/audit" search={{ actor: record.actor.id }} className={actionLinkClass}>
									All by {record.actor.name}
								</Link>
							)}
						</p>
					</td>
				</tr>
			)}
		</>
	)
}
