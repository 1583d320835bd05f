import type { ReactNode } from 'react'
import type { IconName } from './icons.tsx'
import { ListContent } from './list-screen.tsx'
import { Panel } from './page.tsx'

interface ListPanelProps<T> {
	title: string
	query: { data: T | undefined; error: unknown; isPending: boolean; refetch(): unknown }
	/** The button that makes a new one. */
	action: ReactNode
	empty: { icon: IconName; what: string; text: ReactNode }
	/** The table of what there is; null when that is nothing. */
	table(data: T): ReactNode
}

/** A list of managed objects that is one part of a screen; while it is empty the button stands in its middle. */
export function ListPanel<T>({ title, ...list }: ListPanelProps<T>) {
	return (
		<Panel title={title} actions={list.action} flush>
			<ListContent q={undefined} {...list} />
		</Panel>
	)
}
