// Generated from the OpenAPI document of the plugin payments. Do not edit.

import type { CallOptions, LocalText, Money, Pages, Slice } from '../index.ts';

export interface AdminGetPaymentsRefundsRow {
  id: string;
  paymentId: string;
  for: { type: string; id: string; };
  provider: string;
  amount: Money;
  status: "pending" | "succeeded" | "failed" | "cancelled";
  reason: string;
  method: "original" | "store_credit" | "gift_card" | "manual";
  providerRef: string | null;
  by: string | null;
  error: string | null;
  createdAt: string;
}

export interface AdminPostPaymentsByIdMarkPaidInput {
  reference?: string | null;
}

export interface AdminPostPaymentsRefundsByIdCancelInput {
  reason: string;
}

export interface AdminPostPaymentsRefundsByIdMarkPaidInput {
  reference?: string | null;
}

export interface PaymentsPayment {
  id: string;
  methodCode: string;
  provider: string;
  providerRef: string | null;
  status: string;
  amount: Money;
  authorizedAmount: Money;
  capturedAmount: Money;
  refundedAmount: Money;
  expiresAt: string | null;
  error: string | null;
  createdAt: string;
  for: { type: string; id: string; };
  givenBack: boolean;
  clientSecret: string | null;
  redirectUrl: string | null;
}

export interface PaymentsPaymentAuthorizedEvent {
  id: string;
  for: { type: string; id: string; };
  methodCode: string;
  provider: string;
  status: string;
  amount: Money;
  authorizedAmount: number;
  capturedAmount: number;
  late: boolean;
  error: string | null;
}

export interface PaymentsPaymentMethod {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  code: string;
  name: LocalText;
  provider: "payment-a" | "payment-b" | "payment-c" | "cod" | "bank_transfer" | "manual" | "gift_card" | "on_account";
  config: Record<string, unknown>;
  enabled: boolean;
  position: number;
  minTotal: Money | null;
  maxTotal: Money | null;
  countries: string[];
  currencies: string[];
  customerGroupIds: string[];
  fee: { fixed: Money | null; percentBp: number | null; } | null;
  capture: "auto" | "manual";
  instructions: LocalText | null;
}

export interface PaymentsPaymentMethod2 {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  code: string;
  name: LocalText;
  provider: "payment-a" | "payment-b" | "payment-c" | "cod" | "bank_transfer" | "manual" | "gift_card" | "on_account";
  config: Record<string, unknown>;
  enabled: boolean;
  position: number;
  minTotal: Money | null;
  maxTotal: Money | null;
  countries: string[];
  currencies: string[];
  customerGroupIds: string[];
  fee: { fixed: Money | null; percentBp: number | null; } | null;
  capture: "auto" | "manual";
  instructions: LocalText | null;
}

export interface PaymentsPaymentMethodChange {
  code?: string;
  name?: string | Record<string, string>;
  provider?: "payment-a" | "payment-b" | "payment-c" | "cod" | "bank_transfer" | "manual" | "gift_card" | "on_account";
  config?: Record<string, unknown>;
  enabled?: boolean;
  position?: number;
  minTotal?: Money | null;
  maxTotal?: Money | null;
  countries?: string[];
  currencies?: string[];
  customerGroupIds?: string[];
  fee?: { fixed?: Money | null; percentBp?: number | null; } | null;
  capture?: "auto" | "manual";
  instructions?: string | Record<string, string> | null;
}

export interface PaymentsPaymentMethodInput {
  code: string;
  name: string | Record<string, string>;
  provider: "payment-a" | "payment-b" | "payment-c" | "cod" | "bank_transfer" | "manual" | "gift_card" | "on_account";
  config?: Record<string, unknown>;
  enabled?: boolean;
  position?: number;
  minTotal?: Money | null;
  maxTotal?: Money | null;
  countries?: string[];
  currencies?: string[];
  customerGroupIds?: string[];
  fee?: { fixed?: Money | null; percentBp?: number | null; } | null;
  capture?: "auto" | "manual";
  instructions?: string | Record<string, string> | null;
}

export interface PaymentsPaymentMethodRow {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  code: string;
  name: LocalText;
  provider: "payment-a" | "payment-b" | "payment-c" | "cod" | "bank_transfer" | "manual" | "gift_card" | "on_account";
  config: Record<string, unknown>;
  enabled: boolean;
  position: number;
  minTotal: Money | null;
  maxTotal: Money | null;
  countries: string[];
  currencies: string[];
  customerGroupIds: string[];
  fee: { fixed: Money | null; percentBp: number | null; } | null;
  capture: "auto" | "manual";
  instructions: LocalText | null;
}

export interface PaymentsPaymentMethodRow2 {
  id: string;
  createdAt: string;
  updatedAt: string;
  version: number;
  code: string;
  name: LocalText;
  provider: "payment-a" | "payment-b" | "payment-c" | "cod" | "bank_transfer" | "manual" | "gift_card" | "on_account";
  config: Record<string, unknown>;
  enabled: boolean;
  position: number;
  minTotal: Money | null;
  maxTotal: Money | null;
  countries: string[];
  currencies: string[];
  customerGroupIds: string[];
  fee: { fixed: Money | null; percentBp: number | null; } | null;
  capture: "auto" | "manual";
  instructions: LocalText | null;
}

export interface PaymentsPaymentRepairedEvent {
  id: string;
  for: { type: string; id: string; };
  methodCode: string;
  provider: string;
  status: string;
  amount: Money;
  authorizedAmount: number;
  capturedAmount: number;
  late: boolean;
  error: string | null;
  repair: string;
  refund: Money | null;
}

export interface PaymentsRefundFailedEvent {
  id: string;
  paymentId: string;
  for: { type: string; id: string; };
  amount: Money;
  method: string;
  reason: string;
  error: string | null;
}

export interface PaymentsRefundSucceededEvent {
  id: string;
  paymentId: string;
  for: { type: string; id: string; };
  amount: Money;
  method: string;
  reason: string;
}

export interface AdminGetPaymentMethodsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "code" | "-code" | "position" | "-position") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "code" | "-code" | "position" | "-position")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  code?: string | { ne?: string; in?: string | readonly string[]; };
  provider?: "payment-a" | "payment-b" | "payment-c" | "cod" | "bank_transfer" | "manual" | "gift_card" | "on_account" | { ne?: "payment-a" | "payment-b" | "payment-c" | "cod" | "bank_transfer" | "manual" | "gift_card" | "on_account"; in?: ("payment-a" | "payment-b" | "payment-c" | "cod" | "bank_transfer" | "manual" | "gift_card" | "on_account") | readonly ("payment-a" | "payment-b" | "payment-c" | "cod" | "bank_transfer" | "manual" | "gift_card" | "on_account")[]; };
  enabled?: boolean | { ne?: boolean; in?: boolean | readonly boolean[]; };
}

export interface AdminGetPaymentsRefundsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt") | readonly ("createdAt" | "-createdAt")[];
  id?: string | { in?: string | readonly string[]; };
  status?: "pending" | "succeeded" | "failed" | "cancelled" | { ne?: "pending" | "succeeded" | "failed" | "cancelled"; in?: ("pending" | "succeeded" | "failed" | "cancelled") | readonly ("pending" | "succeeded" | "failed" | "cancelled")[]; };
  method?: "original" | "store_credit" | "gift_card" | "manual" | { ne?: "original" | "store_credit" | "gift_card" | "manual"; in?: ("original" | "store_credit" | "gift_card" | "manual") | readonly ("original" | "store_credit" | "gift_card" | "manual")[]; };
  provider?: string | { in?: string | readonly string[]; };
  paymentId?: string | { in?: string | readonly string[]; };
  forId?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
}

export interface AdminGetSettingsPaymentMethodsQuery {
  /** Rows of a page. */
  limit?: number;
  /** `page.nextCursor` of the page before. */
  cursor?: string;
  /** Counts all rows too. */
  total?: boolean;
  /** Searches the text of the rows. */
  q?: string;
  /** `-` sorts downwards. */
  sort?: ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "code" | "-code" | "position" | "-position") | readonly ("createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | "code" | "-code" | "position" | "-position")[];
  id?: string | { in?: string | readonly string[]; };
  createdAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  updatedAt?: string | { ne?: string; gt?: string; gte?: string; lt?: string; lte?: string; in?: string | readonly string[]; };
  code?: string | { ne?: string; in?: string | readonly string[]; };
  provider?: "payment-a" | "payment-b" | "payment-c" | "cod" | "bank_transfer" | "manual" | "gift_card" | "on_account" | { ne?: "payment-a" | "payment-b" | "payment-c" | "cod" | "bank_transfer" | "manual" | "gift_card" | "on_account"; in?: ("payment-a" | "payment-b" | "payment-c" | "cod" | "bank_transfer" | "manual" | "gift_card" | "on_account") | readonly ("payment-a" | "payment-b" | "payment-c" | "cod" | "bank_transfer" | "manual" | "gift_card" | "on_account")[]; };
  enabled?: boolean | { ne?: boolean; in?: boolean | readonly boolean[]; };
}

export interface PaymentsAdmin {
  paymentMethods: {
    /** Create a payment method. `POST /api/admin/payment-methods`, permission `payments.payment-method.create`. */
    create(body: PaymentsPaymentMethodInput, options?: CallOptions): Promise<PaymentsPaymentMethod>;
    /** List payment methods. `GET /api/admin/payment-methods`, permission `payments.payment-method.read`. */
    list(query?: AdminGetPaymentMethodsQuery, options?: CallOptions): Pages<PaymentsPaymentMethodRow>;
    /** Delete a payment method. `DELETE /api/admin/payment-methods/{id}`, permission `payments.payment-method.delete`. */
    remove(id: string, options?: CallOptions): Promise<void>;
    /** Change a payment method. `PATCH /api/admin/payment-methods/{id}`, permission `payments.payment-method.update`. */
    update(id: string, body: PaymentsPaymentMethodChange, options?: CallOptions): Promise<PaymentsPaymentMethod>;
  };
  payments: {
    /** Mark an offline payment as paid. `POST /api/admin/payments/{id}/mark-paid`, permission `payments.payment.mark-paid`. */
    markPaid(id: string, body?: AdminPostPaymentsByIdMarkPaidInput, options?: CallOptions): Promise<PaymentsPayment>;
    refunds: {
      /** Cancel a pending refund of an offline payment. `POST /api/admin/payments/refunds/{id}/cancel`, permission `payments.refund.cancel`. */
      cancel(id: string, body: AdminPostPaymentsRefundsByIdCancelInput, options?: CallOptions): Promise<AdminGetPaymentsRefundsRow>;
      /** List refunds of payments, newest first. `GET /api/admin/payments/refunds`, permission `payments.refund.read`. */
      list(query?: AdminGetPaymentsRefundsQuery, options?: CallOptions): Pages<AdminGetPaymentsRefundsRow>;
      /** Mark a refund of an offline payment as transferred. `POST /api/admin/payments/refunds/{id}/mark-paid`, permission `payments.refund.mark-paid`. */
      markPaid(id: string, body?: AdminPostPaymentsRefundsByIdMarkPaidInput, options?: CallOptions): Promise<AdminGetPaymentsRefundsRow>;
    };
  };
  settings: {
    paymentMethods: {
      /** Create a payment method. `POST /api/admin/settings/payment-methods`, permission `payments.payment-method.create`. */
      create(body: PaymentsPaymentMethodInput, options?: CallOptions): Promise<PaymentsPaymentMethod2>;
      /** List payment methods. `GET /api/admin/settings/payment-methods`, permission `payments.payment-method.read`. */
      list(query?: AdminGetSettingsPaymentMethodsQuery, options?: CallOptions): Pages<PaymentsPaymentMethodRow2>;
      /** Delete a payment method. `DELETE /api/admin/settings/payment-methods/{id}`, permission `payments.payment-method.delete`. */
      remove(id: string, options?: CallOptions): Promise<void>;
      /** Replace a payment method. `PUT /api/admin/settings/payment-methods/{id}`, permission `payments.payment-method.update`. */
      replace(id: string, body: PaymentsPaymentMethodInput, options?: CallOptions): Promise<PaymentsPaymentMethod2>;
    };
  };
}

export interface PaymentsEvents {
  'payments.payment.authorized': PaymentsPaymentAuthorizedEvent;
  'payments.payment.captured': PaymentsPaymentAuthorizedEvent;
  'payments.payment.failed': PaymentsPaymentAuthorizedEvent;
  'payments.payment.repaired': PaymentsPaymentRepairedEvent;
  'payments.refund.failed': PaymentsRefundFailedEvent;
  'payments.refund.succeeded': PaymentsRefundSucceededEvent;
}

const adminRoutes = `
paymentMethods.create POST /payment-methods bk
paymentMethods.list GET /payment-methods lq
paymentMethods.remove DELETE /payment-methods/{}
paymentMethods.update PATCH /payment-methods/{} b
payments.markPaid POST /payments/{}/mark-paid bk
payments.refunds.cancel POST /payments/refunds/{}/cancel bk
payments.refunds.list GET /payments/refunds lq
payments.refunds.markPaid POST /payments/refunds/{}/mark-paid bk
settings.paymentMethods.create POST /settings/payment-methods bk
settings.paymentMethods.list GET /settings/payment-methods lq
settings.paymentMethods.remove DELETE /settings/payment-methods/{}
settings.paymentMethods.replace PUT /settings/payment-methods/{} b
`;

/** Routes and events of payments. */
export const payments: Slice<{ admin: PaymentsAdmin }, PaymentsEvents> = { plugin: 'payments', routes: { admin: adminRoutes } };
