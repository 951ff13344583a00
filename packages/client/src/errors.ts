// Generated from the problem codes of the OpenAPI document. Do not edit.
import { problemClass } from './problem-error.ts';

/** Activation limit reached (status 409). */
export const ActivationLimit = /* @__PURE__ */ problemClass('activation_limit');
/** Ticket already used (status 409). */
export const AlreadyRedeemed = /* @__PURE__ */ problemClass('already_redeemed');
/** Ambiguous local time (status 422). */
export const AmbiguousLocalTime = /* @__PURE__ */ problemClass('ambiguous_local_time');
/** Balance due (status 409). */
export const BalanceDue = /* @__PURE__ */ problemClass('balance_due');
/** Base currency can't be changed (status 409). */
export const BaseCurrencyLocked = /* @__PURE__ */ problemClass('base_currency_locked');
/** Body nested too deeply (status 400). */
export const BodyTooDeep = /* @__PURE__ */ problemClass('body_too_deep');
/** Nested bundle (status 422). */
export const BundleNested = /* @__PURE__ */ problemClass('bundle_nested');
/** Ticket cancelled (status 409). */
export const Canceled = /* @__PURE__ */ problemClass('canceled');
/** Capacity exceeded (status 409). */
export const CapacityExceeded = /* @__PURE__ */ problemClass('capacity_exceeded');
/** Refused by the carrier (status 409). */
export const CarrierRejected = /* @__PURE__ */ problemClass('carrier_rejected');
/** Cart already ordered (status 409). */
export const CartConverted = /* @__PURE__ */ problemClass('cart_converted');
/** Cart is empty (status 409). */
export const CartEmpty = /* @__PURE__ */ problemClass('cart_empty');
/** Category cycle (status 409). */
export const CategoryCycle = /* @__PURE__ */ problemClass('category_cycle');
/** Change for cash only (status 422). */
export const ChangeNotCash = /* @__PURE__ */ problemClass('change_not_cash');
/** Cash on delivery mismatch (status 409). */
export const CodMismatch = /* @__PURE__ */ problemClass('cod_mismatch');
/** Concurrent change (status 409). */
export const Conflict = /* @__PURE__ */ problemClass('conflict');
/** Consent required (status 422). */
export const ConsentRequired = /* @__PURE__ */ problemClass('consent_required');
/** Country not served (status 409). */
export const CountryNotServed = /* @__PURE__ */ problemClass('country_not_served');
/** Customer limit of the discount code reached (status 422). */
export const CouponCustomerLimit = /* @__PURE__ */ problemClass('coupon_customer_limit');
/** Discount code expired (status 422). */
export const CouponExpired = /* @__PURE__ */ problemClass('coupon_expired');
/** Minimum for the discount code not reached (status 422). */
export const CouponMinNotMet = /* @__PURE__ */ problemClass('coupon_min_not_met');
/** Discount code not combinable (status 422). */
export const CouponNotCombinable = /* @__PURE__ */ problemClass('coupon_not_combinable');
/** Discount code not applicable (status 422). */
export const CouponNotEligible = /* @__PURE__ */ problemClass('coupon_not_eligible');
/** Discount code not found (status 404). */
export const CouponNotFound = /* @__PURE__ */ problemClass('coupon_not_found');
/** Discount code not yet valid (status 422). */
export const CouponNotStarted = /* @__PURE__ */ problemClass('coupon_not_started');
/** Discount code used up (status 422). */
export const CouponUsageLimit = /* @__PURE__ */ problemClass('coupon_usage_limit');
/** Credit exceeds the invoice (status 409). */
export const CreditExceedsInvoice = /* @__PURE__ */ problemClass('credit_exceeds_invoice');
/** Invalid CSRF token (status 403). */
export const CsrfFailed = /* @__PURE__ */ problemClass('csrf_failed');
/** Currency mismatch (status 422). */
export const CurrencyMismatch = /* @__PURE__ */ problemClass('currency_mismatch');
/** Customer has another appointment (status 409). */
export const CustomerBusy = /* @__PURE__ */ problemClass('customer_busy');
/** Change deadline passed (status 409). */
export const CutoffPassed = /* @__PURE__ */ problemClass('cutoff_passed');
/** Default group can't be removed (status 409). */
export const DefaultGroup = /* @__PURE__ */ problemClass('default_group');
/** Default warehouse can't be removed (status 409). */
export const DefaultWarehouse = /* @__PURE__ */ problemClass('default_warehouse');
/** Digital file missing (status 409). */
export const DigitalFileMissing = /* @__PURE__ */ problemClass('digital_file_missing');
/** Already exists (status 409). */
export const Duplicate = /* @__PURE__ */ problemClass('duplicate');
/** E-mail address not verified (status 409). */
export const EmailUnverified = /* @__PURE__ */ problemClass('email_unverified');
/** Webhook disabled (status 409). */
export const EndpointDisabled = /* @__PURE__ */ problemClass('endpoint_disabled');
/** Expired or already used (status 410). */
export const Expired = /* @__PURE__ */ problemClass('expired');
/** Folio closed (status 409). */
export const FolioClosed = /* @__PURE__ */ problemClass('folio_closed');
/** Permission denied (status 403). */
export const Forbidden = /* @__PURE__ */ problemClass('forbidden');
/** Guest data required (status 422). */
export const GuestDataRequired = /* @__PURE__ */ problemClass('guest_data_required');
/** Request in progress (status 409). */
export const IdempotencyInFlight = /* @__PURE__ */ problemClass('idempotency_in_flight');
/** Idempotency key reused (status 422). */
export const IdempotencyKeyReused = /* @__PURE__ */ problemClass('idempotency_key_reused');
/** In stock (status 409). */
export const InStock = /* @__PURE__ */ problemClass('in_stock');
/** In use (status 409). */
export const InUse = /* @__PURE__ */ problemClass('in_use');
/** Insufficient stock (status 409). */
export const InsufficientStock = /* @__PURE__ */ problemClass('insufficient_stock');
/** Internal error (status 500). */
export const InternalError = /* @__PURE__ */ problemClass('internal_error');
/** Invalid interval (status 422). */
export const InvalidInterval = /* @__PURE__ */ problemClass('invalid_interval');
/** Local time does not exist (status 422). */
export const InvalidLocalTime = /* @__PURE__ */ problemClass('invalid_local_time');
/** Invalid parameter (status 400). */
export const InvalidParameter = /* @__PURE__ */ problemClass('invalid_parameter');
/** Ticket not valid at this time (status 409). */
export const InvalidTime = /* @__PURE__ */ problemClass('invalid_time');
/** Status change not allowed (status 409). */
export const InvalidTransition = /* @__PURE__ */ problemClass('invalid_transition');
/** Invoice submitted to the tax authority (status 409). */
export const InvoiceIssued = /* @__PURE__ */ problemClass('invoice_issued');
/** Menu item unavailable (status 409). */
export const ItemUnavailable = /* @__PURE__ */ problemClass('item_unavailable');
/** Items not served (status 409). */
export const ItemsWaiting = /* @__PURE__ */ problemClass('items_waiting');
/** Last line of the order (status 409). */
export const LastLine = /* @__PURE__ */ problemClass('last_line');
/** Last owner can't be removed (status 409). */
export const LastOwner = /* @__PURE__ */ problemClass('last_owner');
/** Last active variant (status 409). */
export const LastVariant = /* @__PURE__ */ problemClass('last_variant');
/** Not covered by the licence (status 403). */
export const LicenseRequired = /* @__PURE__ */ problemClass('license_required');
/** Loan limit reached (status 409). */
export const LoanLimit = /* @__PURE__ */ problemClass('loan_limit');
/** Malformed request (status 400). */
export const MalformedRequest = /* @__PURE__ */ problemClass('malformed_request');
/** Mandatory message (status 422). */
export const Mandatory = /* @__PURE__ */ problemClass('mandatory');
/** Method not allowed (status 405). */
export const MethodNotAllowed = /* @__PURE__ */ problemClass('method_not_allowed');
/** Refund method unavailable (status 422). */
export const MethodUnavailable = /* @__PURE__ */ problemClass('method_unavailable');
/** Minimum order value not reached (status 409). */
export const MinOrderNotMet = /* @__PURE__ */ problemClass('min_order_not_met');
/** Invalid amount (status 422). */
export const MoneyInvalid = /* @__PURE__ */ problemClass('money_invalid');
/** No activated licence (status 409). */
export const NoActivation = /* @__PURE__ */ problemClass('no_activation');
/** No shipping method available (status 409). */
export const NoShippingMethod = /* @__PURE__ */ problemClass('no_shipping_method');
/** No table available (status 409). */
export const NoTableAvailable = /* @__PURE__ */ problemClass('no_table_available');
/** Product is not a bundle (status 409). */
export const NotABundle = /* @__PURE__ */ problemClass('not_a_bundle');
/** Not acceptable (status 406). */
export const NotAcceptable = /* @__PURE__ */ problemClass('not_acceptable');
/** Not found (status 404). */
export const NotFound = /* @__PURE__ */ problemClass('not_found');
/** Cart not recoverable (status 409). */
export const NotRecoverable = /* @__PURE__ */ problemClass('not_recoverable');
/** Nothing to invoice (status 409). */
export const NothingToInvoice = /* @__PURE__ */ problemClass('nothing_to_invoice');
/** UTC offset required (status 422). */
export const OffsetRequired = /* @__PURE__ */ problemClass('offset_required');
/** One-click purchase not set up (status 409). */
export const OneClickNotReady = /* @__PURE__ */ problemClass('one_click_not_ready');
/** Option mismatch (status 422). */
export const OptionMismatch = /* @__PURE__ */ problemClass('option_mismatch');
/** Check closed (status 409). */
export const OrderClosed = /* @__PURE__ */ problemClass('order_closed');
/** Order has shipments (status 409). */
export const OrderHasShipments = /* @__PURE__ */ problemClass('order_has_shipments');
/** Invalid quantity (status 422). */
export const OrderQuantity = /* @__PURE__ */ problemClass('order_quantity');
/** Order refused (status 409). */
export const OrderRefused = /* @__PURE__ */ problemClass('order_refused');
/** Order unpaid (status 409). */
export const OrderUnpaid = /* @__PURE__ */ problemClass('order_unpaid');
/** Outside opening hours (status 422). */
export const OutsideHours = /* @__PURE__ */ problemClass('outside_hours');
/** Party size not accepted (status 422). */
export const PartySize = /* @__PURE__ */ problemClass('party_size');
/** Date in the past (status 422). */
export const PastDate = /* @__PURE__ */ problemClass('past_date');
/** Body too large (status 413). */
export const PayloadTooLarge = /* @__PURE__ */ problemClass('payload_too_large');
/** Payment method unavailable (status 422). */
export const PaymentMethodUnavailable = /* @__PURE__ */ problemClass('payment_method_unavailable');
/** Payment required (status 402). */
export const PaymentRequired = /* @__PURE__ */ problemClass('payment_required');
/** Plugin not enabled (status 403). */
export const PluginNotEnabled = /* @__PURE__ */ problemClass('plugin_not_enabled');
/** Plugin unavailable (status 503). */
export const PluginUnavailable = /* @__PURE__ */ problemClass('plugin_unavailable');
/** Privilege escalation (status 403). */
export const PrivilegeEscalation = /* @__PURE__ */ problemClass('privilege_escalation');
/** Promotion no longer applies (status 409). */
export const PromotionChanged = /* @__PURE__ */ problemClass('promotion_changed');
/** Promotion in use (status 409). */
export const PromotionInUse = /* @__PURE__ */ problemClass('promotion_in_use');
/** Provider not configured (status 501). */
export const ProviderNotConfigured = /* @__PURE__ */ problemClass('provider_not_configured');
/** Quantity below shipped quantity (status 409). */
export const QuantityBelowShipped = /* @__PURE__ */ problemClass('quantity_below_shipped');
/** Quantity exceeds unfulfilled quantity (status 409). */
export const QuantityExceedsUnfulfilled = /* @__PURE__ */ problemClass('quantity_exceeds_unfulfilled');
/** Plan limit reached (status 402). */
export const QuotaExceeded = /* @__PURE__ */ problemClass('quota_exceeded');
/** Range not satisfiable (status 416). */
export const RangeNotSatisfiable = /* @__PURE__ */ problemClass('range_not_satisfiable');
/** Too many requests (status 429). */
export const RateLimited = /* @__PURE__ */ problemClass('rate_limited');
/** Rates overlap (status 409). */
export const RateOverlap = /* @__PURE__ */ problemClass('rate_overlap');
/** Recent sign-in required (status 401). */
export const ReauthenticationRequired = /* @__PURE__ */ problemClass('reauthentication_required');
/** Redirect loop (status 409). */
export const RedirectLoop = /* @__PURE__ */ problemClass('redirect_loop');
/** Refund exceeds the captured amount (status 409). */
export const RefundExceedsCaptured = /* @__PURE__ */ problemClass('refund_exceeds_captured');
/** Ticket transferred (status 409). */
export const Revoked = /* @__PURE__ */ problemClass('revoked');
/** Room not ready (status 409). */
export const RoomNotReady = /* @__PURE__ */ problemClass('room_not_ready');
/** Room occupied (status 409). */
export const RoomOccupied = /* @__PURE__ */ problemClass('room_occupied');
/** Room unavailable (status 409). */
export const RoomUnavailable = /* @__PURE__ */ problemClass('room_unavailable');
/** Sales closed (status 409). */
export const SalesClosed = /* @__PURE__ */ problemClass('sales_closed');
/** Shipping method required (status 422). */
export const ShippingMethodRequired = /* @__PURE__ */ problemClass('shipping_method_required');
/** Shipping method unavailable (status 409). */
export const ShippingMethodUnavailable = /* @__PURE__ */ problemClass('shipping_method_unavailable');
/** Invalid signature (status 401). */
export const SignatureInvalid = /* @__PURE__ */ problemClass('signature_invalid');
/** Time slot unavailable (status 409). */
export const SlotTaken = /* @__PURE__ */ problemClass('slot_taken');
/** Sold out (status 409). */
export const SoldOut = /* @__PURE__ */ problemClass('sold_out');
/** Staff unavailable (status 409). */
export const StaffUnavailable = /* @__PURE__ */ problemClass('staff_unavailable');
/** Stay too long (status 422). */
export const StayLength = /* @__PURE__ */ problemClass('stay_length');
/** Stay not allowed by a restriction (status 409). */
export const StayNotAllowed = /* @__PURE__ */ problemClass('stay_not_allowed');
/** Stock below reserved quantity (status 409). */
export const StockBelowReserved = /* @__PURE__ */ problemClass('stock_below_reserved');
/** System role can't be changed (status 409). */
export const SystemRole = /* @__PURE__ */ problemClass('system_role');
/** Table occupied (status 409). */
export const TableOccupied = /* @__PURE__ */ problemClass('table_occupied');
/** Shop not found (status 404). */
export const TenantNotFound = /* @__PURE__ */ problemClass('tenant_not_found');
/** Tenant required (status 409). */
export const TenantRequired = /* @__PURE__ */ problemClass('tenant_required');
/** Shop suspended (status 503). */
export const TenantSuspended = /* @__PURE__ */ problemClass('tenant_suspended');
/** Tender unavailable (status 422). */
export const TenderUnavailable = /* @__PURE__ */ problemClass('tender_unavailable');
/** Incompatible theme (status 409). */
export const ThemeIncompatible = /* @__PURE__ */ problemClass('theme_incompatible');
/** Unit price increases with quantity (status 422). */
export const TierIncreases = /* @__PURE__ */ problemClass('tier_increases');
/** Too early (status 409). */
export const TooEarly = /* @__PURE__ */ problemClass('too_early');
/** Too far in advance (status 422). */
export const TooFar = /* @__PURE__ */ problemClass('too_far');
/** Too late (status 409). */
export const TooLate = /* @__PURE__ */ problemClass('too_late');
/** Too many items (status 422). */
export const TooMany = /* @__PURE__ */ problemClass('too_many');
/** Too many guests (status 422). */
export const TooManyGuests = /* @__PURE__ */ problemClass('too_many_guests');
/** Minimum notice not met (status 422). */
export const TooSoon = /* @__PURE__ */ problemClass('too_soon');
/** Tool unavailable (status 409). */
export const ToolTaken = /* @__PURE__ */ problemClass('tool_taken');
/** Total changed (status 409). */
export const TotalChanged = /* @__PURE__ */ problemClass('total_changed');
/** Second factor not enabled (status 409). */
export const TwoFactorOff = /* @__PURE__ */ problemClass('two_factor_off');
/** Second factor already enabled (status 409). */
export const TwoFactorOn = /* @__PURE__ */ problemClass('two_factor_on');
/** Second factor required (status 401). */
export const TwoFactorRequired = /* @__PURE__ */ problemClass('two_factor_required');
/** Authentication required (status 401). */
export const Unauthenticated = /* @__PURE__ */ problemClass('unauthenticated');
/** Temporarily unavailable (status 503). */
export const Unavailable = /* @__PURE__ */ problemClass('unavailable');
/** Unknown field (status 422). */
export const UnknownField = /* @__PURE__ */ problemClass('unknown_field');
/** Ticket unpaid (status 409). */
export const Unpaid = /* @__PURE__ */ problemClass('unpaid');
/** Unsupported media type (status 415). */
export const UnsupportedMediaType = /* @__PURE__ */ problemClass('unsupported_media_type');
/** Validation failed (status 422). */
export const ValidationFailed = /* @__PURE__ */ problemClass('validation_failed');
/** Version conflict (status 412). */
export const VersionConflict = /* @__PURE__ */ problemClass('version_conflict');
/** Warehouse not empty (status 409). */
export const WarehouseNotEmpty = /* @__PURE__ */ problemClass('warehouse_not_empty');
/** Ticket for another event (status 409). */
export const WrongEvent = /* @__PURE__ */ problemClass('wrong_event');
/** Shipping zones overlap (status 409). */
export const ZoneOverlap = /* @__PURE__ */ problemClass('zone_overlap');
