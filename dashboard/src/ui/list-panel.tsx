import type { ReactNode } from 'react'
import type { IconName } from './icons.tsx'
import { ListContent } from './list-screen.tsx'
import { Panel } from './page.tsx'

interface ListPanelProps<T> {
	title: string
	query: { data: T | undefined; error: unknown; isPending: boolean; refetch(): unknown }
	/** The button that creates an object. */
	action: ReactNode
	empty: { icon: IconName; what: string; text: ReactNode }
	/** The table of the objects; null if there are none. */
	table(data: T): ReactNode
}

/** A list of managed objects as one part of a screen; if it is empty, the button is shown in its middle. */
export function ListPanel<T>({ title, ...list }: ListPanelProps<T>) {
	return (
		<Panel title={title} actions={list.action} flush>
			<ListContent q={undefined} {...list} />
		</Panel>
	)
}
