import type { ReactNode } from 'react'
import { Page } from '../../ui/page.tsx'
import { RoleHint } from './role-hint.tsx'
import { useCan } from './session.ts'

interface AdminOnlyProps {
	title: string
	description: string
	/** What takes the right: `see and change webhooks`. */
	what: string
	children: ReactNode
}

/** A screen of admins; everybody else reads who can help. */
export function AdminOnly({ title, description, what, children }: AdminOnlyProps) {
	if (useCan('admin')) return children
	return (
		<Page title={title} description={description}>
			<RoleHint needs="admin" what={what} />
		</Page>
	)
}
