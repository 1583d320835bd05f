import { createFileRoute } from '@tanstack/react-router'
import { ApprovalScreen } from '../../areas/approvals/approval-screen.tsx'

export const Route = createFileRoute('/_app/approvals/$approvalId')({ component: ApprovalScreen })
