import type { ReactNode } from 'react'
import { Page } from '../../ui/page.tsx'
import { RoleHint } from './role-hint.tsx'
import { useCan } from './session.ts'

interface AdminOnlyProps {
	title: string
	description: string
	/** What requires the role: `see and change webhooks`. */
	what: string
	children: ReactNode
}

/** A screen for admins; everybody else is told who can help. */
export function AdminOnly({ title, description, what, children }: AdminOnlyProps) {
	if (useCan('admin')) return children
	return (
		<Page title={title} description={description}>
			<RoleHint needs="admin" what={what} />
		</Page>
	)
}
