import { createFileRoute } from '@tanstack/react-router'
import { AuditScreen } from '../../areas/audit/audit-screen.tsx'

export const Route = createFileRoute('/_app/audit')({ component: AuditScreen })
