import type { ReactNode } from 'react'
import type { Schemas } from '../api.ts'
import { formatCounted } from '../lib/format.ts'
import { SearchInput } from './field.tsx'
import type { IconName } from './icons.tsx'
import { Page, Panel } from './page.tsx'
import { Pager } from './pager.tsx'
import { Empty, ErrorState, SkeletonRows } from './states.tsx'

interface ListScreenProps<T> {
	title: string
	description: ReactNode
	/** The button that creates an object; shown above the list, and in it if the list is empty. */
	action: ReactNode
	/** Shown above the list: what the person may not do here. */
	hint?: ReactNode
	query: {
		data: T | undefined
		error: unknown
		isPending: boolean
		refetch(): unknown
	}
	/** Part of the name; lists without a search have neither. */
	q?: string | undefined
	onSearch?(q: string): void
	onPage(page: number): void
	empty: { icon: IconName; what: string; text: ReactNode }
	/** The table of the results; null if there are none. */
	table(data: T): ReactNode
	/** Dialogs of the screen. */
	children?: ReactNode
}

/** A list of managed objects with search, pages, an empty state and an error state. */
export function ListScreen<T extends { pagination: Schemas['Pagination'] }>(props: ListScreenProps<T>) {
	const { title, description, action, hint, query, q, onSearch, onPage, children } = props
	const { data } = query
	return (
		<Page title={title} description={description} actions={action}>
			{hint}
			{onSearch && (q !== undefined || (data?.pagination.total ?? 0) > 8) && (
				<div className="mb-3">
					<SearchInput
						label="Find by name"
						value={q ?? ''}
						onChange={(event) => onSearch(event.target.value)}
					/>
					<p role="status" className="sr-only">
						{q && data && formatCounted(data.pagination.total, 'result')}
					</p>
				</div>
			)}
			<Panel flush>
				<ListContent {...props} />
			</Panel>
			{data && <Pager pagination={data.pagination} onChange={onPage} />}
			{children}
		</Page>
	)
}

type ListContentProps<T> = Pick<ListScreenProps<T>, 'query' | 'q' | 'empty' | 'action' | 'table'>

/** The table of a list, or why there is none: it is loading, it failed, or it is empty. */
export function ListContent<T>({ query, q, empty, action, table }: ListContentProps<T>) {
	const { data, error, isPending, refetch } = query
	if (data === undefined) {
		if (isPending && !error) return <SkeletonRows />
		return <ErrorState error={error} retry={() => void refetch()} />
	}
	const found = table(data)
	if (found !== null) return found
	if (isPastEnd(data))
		return (
			<Empty icon={empty.icon} title="Nothing on this page">
				The list has fewer pages now.
			</Empty>
		)
	return (
		<Empty
			icon={empty.icon}
			title={q ? `No ${empty.what} matches “${q}”` : `No ${empty.what} yet`}
			action={!q && action}
		>
			{q ? 'Try a shorter part of the name.' : empty.text}
		</Empty>
	)
}

/** Whether this is a page that an address names, or that has been emptied, while the list has others. */
function isPastEnd(data: unknown): boolean {
	const { pagination } = data as { pagination?: Schemas['Pagination'] }
	return pagination !== undefined && pagination.page > 1 && pagination.total > 0
}
