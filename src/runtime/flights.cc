#include "runtime/flights.h"

namespace changeaware {

struct Flights::Flight {
  RetainedCache::Key key;
  bool is_over = false;
  size_t passengers = 0;
  std::optional<std::vector<Tensor>> outputs;
};

Result<Flights::Joined> Flights::join(const RetainedCache::Key& key,
                                      const Cancellation& cancellation) {
  std::unique_lock lock(mutex_);
  const auto it = flights_.find(key);
  if (it == flights_.end()) {
    auto lead = std::make_shared<Flight>();
    lead->key = key;
    flights_.emplace(key, lead);
    return Joined{std::move(lead), std::nullopt};
  }
  const std::shared_ptr<Flight> flight = it->second;
  ++flight->passengers;
  const bool over = cancellation.wait(landed_, lock, [&] { return flight->is_over; });
  if (!over) {
    --flight->passengers;
    return cancellation.status();
  }
  return Joined{nullptr, flight->outputs};
}

void Flights::land(const std::shared_ptr<Flight>& flight,
                   std::optional<std::vector<Tensor>> outputs) noexcept {
  const std::lock_guard lock(mutex_);
  land_locked(*flight, std::move(outputs));
}

void Flights::land_locked(Flight& flight, std::optional<std::vector<Tensor>> outputs) {
  if (!outputs) flights_.erase(flight.key);
  flight.is_over = true;
  flight.outputs = std::move(outputs);
  landed_.notify_all();
}

bool Flights::close(const std::shared_ptr<Flight>& flight) noexcept {
  const std::lock_guard lock(mutex_);
  if (!flight->is_over) {
    land_locked(*flight, std::nullopt);
  } else if (flight->outputs) {
    flights_.erase(flight->key);
  }
  return flight->outputs && flight->passengers > 0;
}

}  // namespace changeaware
