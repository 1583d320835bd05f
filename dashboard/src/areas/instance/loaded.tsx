import type { ReactNode } from 'react'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'

interface LoadedProps<T> {
	query: { data: T | undefined; error: unknown; refetch(): unknown }
	children(data: T): ReactNode
}

/** What a query brought, or that it is on its way, or why it did not come. */
export function Loaded<T>({ query: { data, error, refetch }, children }: LoadedProps<T>) {
	if (data !== undefined) return children(data)
	if (error) return <ErrorState error={error} retry={() => void refetch()} />
	return <SkeletonRows />
}
